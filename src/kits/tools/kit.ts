/** The tools of the workspace: files, search and the shell. */

import type { Kit } from "#agent/words/kit.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { bashTool, defaultBashLimits, type BashGround } from "./bash.ts"
import type { BashLimits } from "./bash-description.ts"
import { bashOutputTool } from "./bash-output.ts"
import { bashStopTool } from "./bash-stop.ts"
import { editTool } from "./edit.ts"
import { globTool } from "./glob.ts"
import { grepTool } from "./grep.ts"
import { lsTool } from "./ls.ts"
import { multiEditTool } from "./multi-edit.ts"
import { notebookEditTool } from "./notebook-edit.ts"
import { notebookReadTool } from "./notebook-read.ts"
import { readTool } from "./read.ts"
import { writeTool } from "./write.ts"

export interface ToolsKitOptions {
  readonly workspace: Workspace
  readonly clock: Clock
  readonly ids: Ids
  readonly shows?: "everything" | undefined
  /** Settings may raise the time limits. */
  readonly bash?: Partial<BashLimits>
  /** What the shell tool knows about commands, and what it prepares before the first. */
  readonly commands?: Pick<BashGround, "knownReads" | "begin" | "sandbox">
}

/** The workspace stays open until its owner closes it. */
export function toolsKit({ workspace, clock, ids, shows, bash, commands }: ToolsKitOptions): Kit {
  const limits = { ...defaultBashLimits, ...bash }
  return {
    name: "tools",
    tools: [
      readTool({ ...workspace, shows }),
      writeTool(workspace),
      editTool(workspace),
      multiEditTool(workspace),
      globTool({ ...workspace, clock }),
      grepTool(workspace),
      lsTool(workspace),
      notebookReadTool(workspace),
      notebookEditTool({ ...workspace, ids }),
      bashTool({ ...workspace, clock, limits, ...commands }),
      ...(limits.background === "off"
        ? []
        : [
            bashOutputTool({ background: workspace.background, clock, limits }),
            bashStopTool({ background: workspace.background, clock }),
          ]),
    ],
  }
}

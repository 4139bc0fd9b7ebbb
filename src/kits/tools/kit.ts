/** The tools of the workspace: files, search and the shell. */

import type { Kit } from "#agent/words/kit.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Clock } from "#lib/clock.ts"
import { bashTool, defaultBashLimits } from "./bash.ts"
import type { BashLimits } from "./bash-description.ts"
import { editTool } from "./edit.ts"
import { globTool } from "./glob.ts"
import { grepTool } from "./grep.ts"
import { readTool } from "./read.ts"
import { writeTool } from "./write.ts"

export interface ToolsKitOptions {
  readonly workspace: Workspace
  readonly clock: Clock
  /** Settings may raise the time limits. */
  readonly bash?: Partial<BashLimits>
}

/** The workspace stays open until whoever opened it closes it. */
export function toolsKit({ workspace, clock, bash }: ToolsKitOptions): Kit {
  return {
    name: "tools",
    tools: [
      readTool(workspace),
      writeTool(workspace),
      editTool(workspace),
      globTool({ ...workspace, clock }),
      grepTool(workspace),
      bashTool({ ...workspace, clock, limits: { ...defaultBashLimits, ...bash } }),
    ],
  }
}

/** What a decision looks at: one call, and the place it is made in. */

import type { Footprint } from "#agent/words/footprint.ts"
import type { JsonObject } from "#lib/json.ts"
import { type ReadCommand, readCommand } from "./read-command.ts"
import { type Forms, formsWith, type RealPath, type Workspace } from "./paths.ts"
import type { NamedTool } from "./tool-names.ts"

/** A call and its place as they are known outside. */
export interface CallToJudge {
  readonly tool: NamedTool
  readonly input: JsonObject
  readonly footprint: Footprint
  readonly workspace: Workspace
  /** The folder the session stands in now; it may have moved from the workspace's root. */
  readonly cwd: string
  readonly realPath: RealPath
}

/** The same with what every stage would otherwise work out again. */
export interface JudgedCall extends Omit<CallToJudge, "realPath"> {
  readonly forms: Forms
  readonly commands: readonly ReadCommand[]
}

export function judgedCall({ tool, input, footprint, workspace, cwd, realPath }: CallToJudge): JudgedCall {
  const forms = formsWith(realPath)
  return {
    tool,
    input,
    footprint,
    workspace,
    cwd,
    forms,
    commands: commandsOf(tool, input, footprint).map(readCommand),
  }
}

/** The shell commands of a call; a shell call that declares none still has the one in its input. */
function commandsOf(tool: NamedTool, input: JsonObject, { runs }: Footprint): readonly string[] {
  if (runs.length > 0 || tool.name !== "Bash") return runs
  return typeof input.command === "string" ? [input.command] : []
}

/** The host of an address in lower case, without the dot that may end it; undefined when it is no address. */
export function hostOf(address: string): string | undefined {
  return URL.parse(address)?.hostname.toLowerCase().replace(/\.$/, "")
}

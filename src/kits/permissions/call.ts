/** What a decision looks at: one call, and the place it is made in. */

import type { Footprint } from "#agent/words/footprint.ts"
import type { JsonObject } from "#lib/json.ts"
import type { RealPath, Workspace } from "./paths.ts"
import type { NamedTool } from "./tool-names.ts"

export interface JudgedCall {
  readonly tool: NamedTool
  readonly input: JsonObject
  readonly footprint: Footprint
  readonly workspace: Workspace
  /** The folder the session stands in now; it may have moved from the workspace's root. */
  readonly cwd: string
  readonly realPath: RealPath
}

/** The shell commands of a call; a shell call that declares none still has the one in its input. */
export function commandsOf({ tool, input, footprint }: JudgedCall): readonly string[] {
  if (footprint.runs.length > 0 || tool.name !== "Bash") return footprint.runs
  return typeof input.command === "string" ? [input.command] : []
}

/** The host of an address in lower case, without the dot that may end it; undefined when it is no address. */
export function hostOf(address: string): string | undefined {
  return URL.parse(address)?.hostname.toLowerCase().replace(/\.$/, "")
}

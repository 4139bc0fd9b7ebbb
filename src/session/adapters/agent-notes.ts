/** Where an agent's notes are. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { realPath } from "#ground/workspace/paths.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { type Notes, notesName } from "#kits/subagents/memory.ts"
import type { SessionOptions } from "#session/opening/options.ts"

/** Undefined where it keeps none, or may not keep them here. */
export function notesOf(
  { memory, agentType, forkContext }: AgentDefinition,
  { place, memory: choice }: Pick<SessionOptions, "place" | "memory">,
): Notes | undefined {
  if (memory === undefined || forkContext) return undefined
  if (memory !== "user" && place.trusted !== true) return undefined
  const { cwd, home, stateFolder } = place
  const bases =
    memory === "user"
      ? [stateFolder, choice?.claudeFolder ?? join(home, ".claude")]
      : [".codewright", ".claude"].map((name) => join(cwd, name))
  const kind = memory === "local" ? "agent-memory-local" : "agent-memory"
  const below = join(kind, notesName(agentType))
  const [first = stateFolder] = bases
  const base = bases.find((one) => existsSync(join(one, below))) ?? first
  const folder = join(base, below)
  // Whoever wrote a link into the project must not choose where an agent may write.
  const start = memory === "user" ? base : cwd
  const isPlain = realPath(folder) === join(realPath(start), folder.slice(start.length + 1))
  if (!isPlain || /[*?[\]{}()!\\]/.test(folder)) return undefined
  return { folder, text: textFiles.read(join(folder, "MEMORY.md"))?.text }
}

/** The narrowest rule that a careful person would give so that a call is not asked about again. */

import { hostOf, type JudgedCall } from "./call.ts"
import { isOpaque, isWrapper } from "./launchers.ts"
import { namesBelow } from "./paths.ts"
import type { ReadCommand } from "./read-command.ts"

/** Programs whose first word after the name says what they do; the number is how many words make the prefix. */
const withSubcommands: { readonly [program: string]: number } = {
  brew: 2,
  cargo: 2,
  docker: 2,
  dotnet: 2,
  gh: 3,
  git: 2,
  go: 2,
  gradle: 2,
  helm: 2,
  kubectl: 2,
  make: 2,
  mvn: 2,
  npm: 2,
  pip: 2,
  pnpm: 2,
  poetry: 2,
  terraform: 2,
  uv: 2,
  yarn: 2,
}

/** The rule as it would be written, or undefined where no narrow rule would cover the call. */
export function suggestRule(call: JudgedCall): string | undefined {
  const { tool, footprint, commands } = call
  const [command] = commands
  if (command !== undefined) return commands.length === 1 ? forCommand(command) : undefined
  const [written] = footprint.writes
  if (written !== undefined) return footprint.writes.length === 1 ? `Edit(${asPattern(written, call)})` : undefined
  const host = footprint.reaches.length === 1 ? hostOf(footprint.reaches[0] ?? "") : undefined
  if (host !== undefined && tool.name === "WebFetch") return `WebFetch(domain:${host})`
  const [read] = footprint.reads
  if (read !== undefined) return footprint.reads.length === 1 ? `Read(${asPattern(read, call)})` : undefined
  return tool.name
}

function forCommand({ text, words }: ReadCommand): string | undefined {
  const [name = "", verb = ""] = words ?? []
  if (!words) return undefined
  // A prefix for a program that runs others would allow anything; the very command is still narrow.
  if (isOpaque(name) || isWrapper(name)) return `Bash(${text.trim()})`
  const length = /^(?:npm|pnpm|yarn)$/.test(name) && verb === "run" ? 3 : (withSubcommands[name] ?? 0)
  const prefix = words.slice(0, length)
  if (length === 0 || prefix.length < length || !prefix.every((word) => /^[A-Za-z][\w:.-]*$/.test(word)))
    return text.includes("*") ? undefined : `Bash(${text.trim()})`
  return `Bash(${prefix.join(" ")}:*)`
}

/** A path as a pattern for exactly itself. */
function asPattern(path: string, { workspace }: JudgedCall): string {
  const escaped = (names: readonly string[]): string => names.join("/").replace(/[*?[\]\\]/g, "\\$&")
  const inside = namesBelow(workspace.root, path)
  if (inside && inside.length > 0) return `./${escaped(inside)}`
  return `//${escaped(path.split("/").filter((name) => name !== ""))}`
}

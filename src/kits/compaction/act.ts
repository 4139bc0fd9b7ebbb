/** Describes a call in a few words. */

import type { ToolUseBlock } from "#agent/words/message.ts"

const telling = ["file_path", "notebook_path", "path", "command", "pattern", "url", "query", "description"] as const
const mostCharacters = 160

export function actWords({ name, input }: ToolUseBlock): string {
  const field = telling.find((key) => typeof input[key] === "string")
  const what = field === undefined ? JSON.stringify(input) : String(input[field])
  const line = what.replace(/\s+/g, " ").trim()
  const short = line.length > mostCharacters ? `${line.slice(0, mostCharacters).toWellFormed()}…` : line
  return `${name} ${short}`
}

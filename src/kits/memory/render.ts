/** What the writer of session memory is shown: what was said, and a line for each call. Results stay out. */

import { type AnyBlock, type Message, textOf, type ToolUseBlock } from "#agent/words/message.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"

const mostOfPassage = 3_000
const mostOfCall = 200
const mostOfAll = 60_000

/** `isAdded`: blocks that the program added to the user's messages, which are not repeated here. */
export function newsIn(messages: readonly Message[], isAdded: (block: AnyBlock) => boolean): string {
  const failed = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" && block.is_error ? [block.tool_use_id] : [])),
    ),
  )
  const lines = messages.flatMap(({ role, content }) =>
    (content as readonly AnyBlock[]).flatMap((block): readonly string[] => {
      if (block.type === "tool_use") return [`- ${callWords(block)}${failed.has(block.id) ? " (failed)" : ""}`]
      const text = block.type === "text" && !isAdded(block) ? textOf([block]).trim() : ""
      if (text === "") return []
      return [`${role === "user" ? "Developer" : "Agent"}: ${shortened(maskSecrets(text), mostOfPassage)}`]
    }),
  )
  return shortened(lines.join("\n"), mostOfAll)
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : headAndTail(text, text, most, "[cut]")

const telling = ["file_path", "notebook_path", "path", "command", "pattern", "url", "query", "description"] as const

/** Only the field that says what it is about: the others may hold whole files. */
function callWords({ name, input }: ToolUseBlock): string {
  const field = telling.find((key) => typeof input[key] === "string")
  const line = field === undefined ? "" : maskSecrets(String(input[field])).replace(/\s+/g, " ").trim()
  return `${name} ${line.slice(0, mostOfCall).toWellFormed()}`.trim()
}

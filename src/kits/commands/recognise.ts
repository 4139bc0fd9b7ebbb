/** Recognises commands: a slash, a name, and optional arguments. Paths and sentences are not commands. */

import { commandNameShape } from "#agent/words/command.ts"
import type { PromptBlock } from "#agent/words/message.ts"

export interface TypedCommand {
  readonly name: string
  readonly args: string
  readonly typed: string
}

/** Images may come with it; a second text block may not, since it would be unclear which one is meant. */
export function commandIn(content: readonly PromptBlock[]): TypedCommand | undefined {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const [only, ...more] = texts
  if (only === undefined || more.length > 0) return undefined
  const typed = only.trim()
  if (!typed.startsWith("/")) return undefined
  const [, name, args = ""] = commandShape.exec(typed) ?? []
  // File systems and keyboards do not agree on how an accent is written.
  return name === undefined ? undefined : { name: name.normalize("NFC"), args: args.trim(), typed }
}

const commandShape = new RegExp(String.raw`^/(${commandNameShape})(?:\s+([\s\S]*))?$`, "u")

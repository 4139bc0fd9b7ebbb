/** Whether something said is a command: a slash, a name, and perhaps words behind it. Paths and sentences are neither. */

import type { PromptBlock } from "#agent/words/message.ts"

export interface Spoken {
  readonly name: string
  readonly args: string
  /** As the user typed it. */
  readonly typed: string
}

/** Pictures may come with it; a second text may not, since nobody could tell which of them is meant. */
export function commandIn(content: readonly PromptBlock[]): Spoken | undefined {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const [only, ...more] = texts
  if (only === undefined || more.length > 0) return undefined
  const typed = only.trim()
  const [, name, args = ""] = /^\/([A-Za-z0-9_][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(typed) ?? []
  return name === undefined ? undefined : { name, args: args.trim(), typed }
}

/** What a person said, as they said it. */

import type { EntryBody } from "./entry.ts"
import { typedPart } from "./origin.ts"
import { textOf } from "./message.ts"

/** Of a command what was typed, not what became of it. */
export const saidText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command?.typed ?? textOf(content)

/** What a person means by a prompt: without the output of what a command had run first, which is data. */
const meantText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command === undefined ? textOf(content) : (command.meant ?? withoutOutput(textOf(content)))

/** What a person asks for: the words they typed, where text came through a pipe beside them. */
export function requestText(entry: EntryBody & { readonly kind: "prompt" }): string {
  const meant = meantText(entry)
  return entry.command === undefined ? typedPart(meant, entry.origin) || meant : meant
}

/** What of a prompt may have files read, by who wrote it. */
export interface MentioningText {
  /** What the person typed, or wrote into a command file of their own: it may name any file. */
  readonly person: string
  /** What came with the project: it may name what lies in the workspace. */
  readonly project: string
}

export function mentioningText(entry: EntryBody & { readonly kind: "prompt" }): MentioningText {
  const { content, command, origin } = entry
  if (command === undefined) return { person: typedPart(textOf(content), origin), project: "" }
  if (origin?.kind === "made") return { person: "", project: "" }
  const typed = typedPart(command.typed, origin)
  const meant = meantText(entry)
  const isOfPerson = command.source === "user" || command.source === "built-in"
  return isOfPerson ? { person: `${typed}\n${meant}`, project: "" } : { person: typed, project: meant }
}

/** For the commands of older logs, where only the tags tell output from the rest. Newer ones without `meant` have no tags. */
const withoutOutput = (text: string): string => text.replaceAll(/<command-output>[\s\S]*?<\/command-output>/g, "")

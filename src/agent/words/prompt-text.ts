/** A prompt's text as the user wrote it. */

import type { EntryBody } from "./entry.ts"
import { typedPart } from "./origin.ts"
import { textOf } from "./message.ts"

/** For a command, what was typed, not what it became. */
export const saidText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command?.typed ?? textOf(content)

/** Without the output of what a command ran first, which is data. */
const meantText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command === undefined ? textOf(content) : (command.meant ?? withoutOutput(textOf(content)))

/** The typed words, where other text came through a pipe. */
export function requestText(entry: EntryBody & { readonly kind: "prompt" }): string {
  const meant = meantText(entry)
  return entry.command === undefined ? typedPart(meant, entry.origin) || meant : meant
}

/** The parts of a prompt that may have files read, by author. */
export interface MentioningText {
  /** Typed by the user, or from the user's own command file: may name any file. */
  readonly person: string
  /** Comes with the project: may name files in the workspace. */
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

/**
 * For commands in older logs, where only tags separate output from the rest. Newer ones without `meant` have no tags.
 */
const withoutOutput = (text: string): string => text.replaceAll(/<command-output>[\s\S]*?<\/command-output>/g, "")

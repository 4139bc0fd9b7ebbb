/** What a person said, as they said it. */

import type { EntryBody } from "./entry.ts"
import { textOf } from "./message.ts"

/** Of a command what was typed, not what became of it. */
export const saidText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command?.typed ?? textOf(content)

/** What a person means by a prompt: without the output of what a command had run first, which is data. */
export const meantText = ({ content, command }: EntryBody & { readonly kind: "prompt" }): string =>
  command === undefined ? textOf(content) : (command.meant ?? withoutOutput(textOf(content)))

/** For the commands of older logs, where only the tags tell output from the rest. Newer ones without `meant` have no tags. */
const withoutOutput = (text: string): string => text.replaceAll(/<command-output>[\s\S]*?<\/command-output>/g, "")

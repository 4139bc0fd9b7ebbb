/** A shell command as far as rules can read it: its words when it is plain, and what it could hide when it is not. */

import { isOpaque, isWrapper } from "./launchers.ts"
import { plainWords } from "./plain-command.ts"

export interface ReadCommand {
  readonly text: string
  /** The words, when the command is plain. */
  readonly words: readonly string[] | undefined
  /** The text without quotes and backslashes, which do not change the program that runs. */
  readonly bare: () => string
  /** Whether some command in the text gets its name by an expansion, or runs something that the text need not name. */
  readonly hidesItsProgram: () => boolean
}

export function readCommand(text: string): ReadCommand {
  let bare: string | undefined
  let hides: boolean | undefined
  const command: ReadCommand = {
    text,
    words: plainWords(text),
    bare: () => (bare ??= text.replace(/\\\n|["'\\]/g, "")),
    hidesItsProgram: () => (hides ??= hidesProgram(command.bare())),
  }
  return command
}

function hidesProgram(text: string): boolean {
  const withoutTargets = text.replace(/`([^`]*)`/g, "$($1)").replace(/\d*[<>]+[&|]?\s*(?!\()[^\s;&|()]+/g, " ")
  return withoutTargets.split(/[;&|\n\r(){}`]/).some((part) => {
    const words = part.split(/\s+/).filter((word) => word !== "" && !beforeTheName.test(word))
    const inner = isWrapper(words[0] ?? "") ? words : words.slice(0, 1)
    return inner.some((word) => isOpaque(word) || (/[$*?[\]~]/.test(word) && word !== "[" && word !== "[["))
  })
}

/** What may stand before the name of a program: assignments and the words of a compound command. */
const beforeTheName = /^(?:[A-Za-z_]\w*\+?=.*|!|if|then|else|elif|while|until|do|for)$/

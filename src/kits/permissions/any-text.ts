/** Commands that run a text: a rule for one of them would allow whatever the text says next time, so none is suggested or saved. */

import { runOf } from "#ground/workspace/shell/interpreters.ts"
import { isLauncher, isOpaque, programName } from "#ground/workspace/shell/launchers.ts"

/** Programs whose words say all of what they do, though they are written in a language. */
const plain: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk"])

/** Whether words run a shell, or a text of their own or that they are fed. */
export function runsText(words: readonly string[]): boolean {
  return tailsOf(words).some((tail) => {
    const name = programName(tail[0] ?? "")
    const run = runOf(tail)
    if (run) return run.language === "shell" || run.readsInput || run.texts.length > 0
    if (/^(?:sudo|doas)$/.test(name) && tail.some((word) => /^-[A-Za-z]*[si]/.test(word))) return true
    return isOpaque(name) && !plain.has(name)
  })
}

/**
 * Whether words run whatever they are fed, of which they say nothing. A prefix for the client of a database was given for
 * all that it can be told.
 */
export const readsItsProgram = (words: readonly string[], rule: "exact" | "wild"): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    return run?.readsInput === true && (rule === "exact" || run.language !== "sql")
  })

/** An exact rule for a script that lies in a file names what it allows. */
export const readsOrHoldsText = (words: readonly string[]): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    if (run) return run.readsInput || run.texts.length > 0
    return /^(?:eval|source|\.)$/.test(tail[0] ?? "")
  })

/** A prefix for a shell, or that ends where a text would begin. Behind other interpreters texts are asked about anyway. */
export const opensText = (words: readonly string[]): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    if (run) return run.texts.length > 0 || (run.language === "shell" && run.file === undefined)
    return /^(?:eval|source|\.)$/.test(tail[0] ?? "")
  })

/** The words, and behind a wrapper each that could be the command: flags may take values, and nobody knows which. */
function tailsOf(words: readonly string[]): readonly (readonly string[])[] {
  if (!isLauncher(words[0] ?? "")) return [words]
  return words.flatMap((word, i) => (i > 0 && /^[-+]/.test(word) ? [] : [words.slice(i)]))
}

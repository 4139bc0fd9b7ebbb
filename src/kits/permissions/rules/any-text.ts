/** Commands that run a program text: a rule for one of them would allow any text next time, so none is suggested or saved. */

import { runOf } from "#ground/workspace/shell/programs/interpreters.ts"
import { isLauncher, isOpaque, programName, startOf } from "#ground/workspace/shell/programs/launchers.ts"

/** Programs whose arguments say everything they do, although they are written in a language. */
const plain: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk"])

/** Whether words run a shell, a text of their own, or their input. */
export function runsText(words: readonly string[]): boolean {
  return tailsOf(words).some((tail) => {
    const name = programName(tail[0] ?? "")
    const run = runOf(tail)
    if (run) return run.language === "shell" || run.readsInput || run.texts.length > 0
    if (/^(?:sudo|doas)$/.test(name) && tail.some((word) => /^-[A-Za-z]*[si]/.test(word))) return true
    return isOpaque(name) && !plain.has(name)
  })
}

/** Whether words run whatever input they get. A prefix for a database client was given for everything it can be told. */
export const readsItsProgram = (words: readonly string[], rule: "exact" | "wild"): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    return run?.readsInput === true && (rule === "exact" || run.language !== "sql")
  })

/** An exact rule for a script in a file names what it allows. */
export const readsOrHoldsText = (words: readonly string[]): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    if (run) return run.readsInput || run.texts.length > 0
    return /^(?:eval|source|\.)$/.test(tail[0] ?? "")
  })

/** A prefix for a shell, or one that ends where a text would begin. After other interpreters, texts are asked about anyway. */
export const opensText = (words: readonly string[]): boolean =>
  tailsOf(words).some((tail) => {
    const run = runOf(tail)
    if (run) return run.texts.length > 0 || (run.language === "shell" && run.file === undefined)
    return /^(?:eval|source|\.)$/.test(tail[0] ?? "")
  })

/** The words, and after a wrapper each that could be the command: flags may take values, and it is unclear which do. */
function tailsOf(words: readonly string[]): readonly (readonly string[])[] {
  const from = isLauncher(words[0] ?? "") ? 1 : startOf(words)?.at
  if (from === undefined) return [words]
  return [words, ...words.flatMap((word, i) => (i < from || /^[-+]|^\.$/.test(word) ? [] : [words.slice(i)]))]
}

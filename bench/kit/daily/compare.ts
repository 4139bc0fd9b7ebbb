/** Whether a command answered behind the wall as it does outside. */

export interface Answer {
  readonly code: number
  readonly output: string
}

/** What a result of the Bash tool says, without its notes. */
export function answerOf(content: string): Answer & { readonly isRefused: boolean } {
  const [, code, rest = ""] = /^Exit code (\d+)\n?([^]*)$/.exec(content) ?? [undefined, undefined, content]
  const isRefused = /^\[The command ran .*the sandbox refused: .*\]$/m.test(rest)
  const output = rest.replace(/^\[(?:The command ran|The working|The user was asked|Shell cwd|The folder).*\]\n?/gm, "")
  const isSilent = /^The command (?:succeeded and )?printed nothing\.?$|^It printed nothing\.$/m.test(output.trim())
  return { code: Number(code ?? 0), output: isSilent ? "" : output, isRefused }
}

/**
 * Outside it was run before and after. What was the same both times must be the same inside; where it changes by itself,
 * as processes and clocks do, it must have the same form, or nearly all the words that stayed.
 */
export function isSame(inside: Answer, before: Answer, after: Answer): boolean {
  if (inside.code !== before.code && inside.code !== after.code) return false
  const [got, first, last] = [inside, before, after].map(({ output }) => plain(output))
  if (got === undefined || first === undefined || last === undefined) return false
  if (got === first || got === last || shape(got) === shape(first) || shape(got) === shape(last)) return true
  // It does not change, so it must not differ.
  if (first === last) return false
  const there = new Set(wordsOf(got))
  const steady = wordsOf(first).filter((word) => wordsOf(last).includes(word))
  return steady.length > 0 && steady.filter((word) => !there.has(word)).length <= steady.length / 10
}

const wordsOf = (text: string): readonly string[] => [...new Set(shape(text).split(/[^\w./-]+/))]

/** Long results are cut, so only their beginning is compared. */
const plain = (text: string): string =>
  // Colors are taken out of results.
  Bun.stripANSI(text)
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .trim()
    .slice(0, 8000)

const shape = (text: string): string => text.replace(/\d+(?:[.:]\d+)*/g, "0").replace(/\s+/g, " ")

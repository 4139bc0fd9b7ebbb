/** The words of a Bash rule: safe characters and simple quotes, with `*` for any characters. Commands themselves are parsed by the shell analysis. */

const longest = 10_000

/** Literal characters in every shell, anywhere in a word except as noted below. */
const safe = /[A-Za-z0-9_@%+=:,./*-]/
/** Allowed between quotes: visible characters and the plain space. */
const visible = /[\p{L}\p{N}\p{P}\p{S}\p{M} ]/u
/** Special even between double quotes. */
const alive = /["$`\\!]/

/** The words that a rule names; undefined if it could not be a single command. */
export function ruleWords(text: string): readonly string[] | undefined {
  if (text.length > longest) return undefined
  const words = splitWords(text)
  const name = words?.[0]
  return !words || name === undefined || name === "" || /^[^/]*=/.test(name) ? undefined : words
}

function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (const char of text) {
    if (quote !== undefined) {
      if (char === quote) quote = undefined
      else if (!visible.test(char) || (quote === '"' && alive.test(char))) return undefined
      else word += char
    } else if (char === " " || char === "\t") {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === "'" || char === '"') {
      quote = char
      word ??= ""
    } else if (!safe.test(char)) return undefined
    // Some shells expand a word that begins with = to the path of a program.
    else if (char === "=" && word === undefined) return undefined
    else word = (word ?? "") + char
  }
  if (quote !== undefined) return undefined
  if (word !== undefined) words.push(word)
  return words
}

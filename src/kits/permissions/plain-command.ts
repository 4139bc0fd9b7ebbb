/** Reads a command line of the plainest kind into its words, and gives up on anything else. */

const longest = 10_000

/** Words that make the shell read on in another grammar, or reckon. */
const reserved: readonly string[] = [
  "!",
  "case",
  "coproc",
  "do",
  "done",
  "elif",
  "else",
  "esac",
  "fi",
  "for",
  "function",
  "if",
  "in",
  "let",
  "select",
  "then",
  "time",
  "until",
  "while",
]

/** Builtins that evaluate their words once more, so that a quoted word is not just itself. */
const evaluating: readonly string[] = [
  "[",
  "declare",
  "export",
  "getopts",
  "local",
  "mapfile",
  "printf",
  "read",
  "readarray",
  "readonly",
  "test",
  "typeset",
  "unset",
  "wait",
]

/** Characters that mean only themselves, in every shell, anywhere in a word but where noted below. */
const safe = /[A-Za-z0-9_@%+=:,./-]/
/** What may stand between quotes: what can be seen, and the plain space. */
const visible = /[\p{L}\p{N}\p{P}\p{S}\p{M} ]/u
/** What means something even between double quotes. */
const alive = /["$`\\!]/

/**
 * The words of a plain command: safe characters and simple quotes, nothing that expands, joins, redirects or assigns.
 * Undefined means not understood, which never counts as harmless. In a rule, `*` counts as safe too.
 */
export function plainWords(command: string, kind: "command" | "rule" = "command"): readonly string[] | undefined {
  if (command.length > longest) return undefined
  const words = splitWords(command, kind)
  const name = words?.[0]
  if (!words || name === undefined || name === "" || reserved.includes(name) || /^[^/]*=/.test(name)) return undefined
  const hides = evaluating.includes(name) && words.slice(1).some((word) => /[[$`(]/.test(word))
  return hides ? undefined : words
}

function splitWords(command: string, kind: "command" | "rule"): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (const char of command) {
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
    } else if (!(safe.test(char) || (char === "*" && kind === "rule"))) return undefined
    // Some shells take a word that begins with = for the path of a program.
    else if (char === "=" && word === undefined) return undefined
    else word = (word ?? "") + char
  }
  if (quote !== undefined) return undefined
  if (word !== undefined) words.push(word)
  return words
}

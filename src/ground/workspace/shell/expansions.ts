/** What words that only the shell knows may become: rules look at flags, and a file may be called like one. */

import type { WordExpansion, ShellPlace } from "./analysis.ts"
import type { Argument } from "./argument.ts"
import { expansion } from "./paths.ts"

/** For a word that is not exact. What is too much to look through may be anything. */
export function expansionOf(arg: Argument, folders: readonly string[] | undefined, place: ShellPlace): WordExpansion {
  const words = wordsOf(arg, folders, place)
  if (words) return { kind: "words", words }
  const { kind, head, text, many, token, fresh, branch } = arg
  if (kind === "pipe" || token || fresh || branch || (head !== "" && !head.startsWith("-"))) return { kind: "operand" }
  // `--pre=$x` is one flag, whatever its value.
  if (!many && /^--?[A-Za-z][\w-]*=/.test(head)) return { kind: "words", words: [text] }
  return { kind: "anything", one: !many }
}

function wordsOf(
  arg: Argument,
  folders: readonly string[] | undefined,
  place: ShellPlace,
): readonly string[] | undefined {
  if (arg.kind === "glob") return matchesOf(arg, folders, place)
  if (arg.pattern) return splitAgain(matchesOf(arg.pattern, folders, place))
  return arg.kind === "dynamic" && !arg.loose ? arg.words : undefined
}

/** In every folder it may run in, without names that a pattern does not match: those that begin with a dot. */
function matchesOf(
  arg: Argument,
  folders: readonly string[] | undefined,
  place: ShellPlace,
): readonly string[] | undefined {
  const pattern = arg.text.split("/")
  const isSeen = (word: string): boolean =>
    word.split("/").every((name, i) => !name.startsWith(".") || /^[.[]/.test(pattern[i] ?? ""))
  const found = (arg.text.startsWith("/") ? ["/"] : folders)?.map((folder) => expansion(arg, folder, place))
  if (!found) return undefined
  const all: string[] = []
  for (const words of found) {
    if (!words) return undefined
    const seen = words.filter(isSeen)
    all.push(...(seen.length === 0 ? [arg.text] : seen))
  }
  return all
}

/** Outside quotes a name is split at its spaces, and each part is a pattern again if it looks like one. */
function splitAgain(names: readonly string[] | undefined): readonly string[] | undefined {
  const parts = names?.flatMap((name) => name.split(/[ \t\n]+/).filter((part) => part !== ""))
  return parts?.some((part) => !names?.includes(part) && /[*?[]/.test(part)) ? undefined : parts
}

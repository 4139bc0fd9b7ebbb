/** Whether arguments after a rule's own make a program work elsewhere, or start another one. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { programName } from "#ground/workspace/shell/launchers.ts"
import { type Outgrowing, outgrowings } from "./outgrowing.ts"
import { resolvedFrom } from "./paths.ts"

/** Settings that people change for one command and that start nothing. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf)|commit\.gpgsign)=/i

/** Keys that do not make git start a program; any other could name one. */
const harmlessKey =
  /^(?:user\.(?:name|email|signingkey)|(?:color|advice|branch|rerere|rebase|column|blame|status|log)\..+|init\.defaultbranch|push\.(?:default|autosetupremote|followtags)|pull\.(?:rebase|ff)|fetch\.prune|merge\.(?:ff|conflictstyle)|(?:commit|tag)\.gpgsign|core\.(?:autocrlf|eol|filemode|ignorecase|longpaths|quotepath|safecrlf|symlinks))$/i

/** Whether words after the first `from` lead out of the workspace or start something. */
export function outgrowsRule({ argv, cwd }: Segment, from: number, isInWorkspace: (path: string) => boolean): boolean {
  const name = programName(argv[0] ?? "")
  const end = argv.indexOf("--")
  const words = argv.slice(0, end === -1 ? undefined : end)
  if (name === "git" && configuresProgram(words)) return true
  const all = Object.hasOwn(outgrowings, name) ? (outgrowings[name] ?? []) : []
  return all.some((each) => outgrows(each, words, argv.slice(from), from, cwd, isInWorkspace))
}

function outgrows(
  { places = [], starts = [], atStart, of, bundles, deeds, words: pattern }: Outgrowing,
  words: readonly string[],
  further: readonly string[],
  from: number,
  cwd: string | undefined,
  isInWorkspace: (path: string) => boolean,
): boolean {
  const plain = words.slice(1).filter((word) => !word.startsWith("-"))
  if (of && !of.includes(plain[0] ?? "")) return false
  // A rule that names the action itself was given for it.
  if (deeds) return deeds.every((word, i) => plain[i] === word) && from <= words.indexOf(deeds.at(-1) ?? "")
  if (pattern && further.some((word) => pattern.test(word))) return true
  for (let i = 1; i < words.length; i++) {
    const word = words[i] ?? ""
    if (atStart && !word.startsWith("-") && !isValue(words, i, [...places, ...starts])) return false
    if (i < from) continue
    const started = firstValue(words, i, starts, bundles)
    if (started !== undefined && !harmlessSetting.test(started)) return true
    const place = firstValue(words, i, places, bundles)?.split(":")[0]
    // Piped input is not a file of the workspace.
    if (place === "-") return true
    if (place !== undefined && !(cwd !== undefined && isInWorkspace(resolvedFrom(cwd, place)))) return true
  }
  return false
}

/** `git config core.pager x` makes a later command start x. */
function configuresProgram(words: readonly string[]): boolean {
  const at = words.indexOf("config")
  if (at === -1 || words.slice(1, at).some((word) => !word.startsWith("-"))) return false
  const operands = words.slice(at + 1).filter((word) => !word.startsWith("-"))
  const [key = "", ...values] = operands[0] === "set" ? operands.slice(1) : operands
  if (words.some((word) => /^(?:-e|--edit|-f|--file(?:=.*)?)$/.test(word)) || operands[0] === "edit") return true
  return key !== "get" && key !== "list" && values.length > 0 && !harmlessKey.test(key)
}

const isValue = (words: readonly string[], at: number, flags: readonly string[]): boolean =>
  flags.includes(words[at - 1] ?? "")

function firstValue(
  words: readonly string[],
  at: number,
  flags: readonly string[],
  bundles: true | undefined,
): string | undefined {
  for (const flag of flags) {
    const value = valueOf(words, at, flag) ?? (bundles && bundled(words, at, flag))
    if (value !== undefined) return value
  }
  return undefined
}

/** The value of a flag at an index: in the next word, after `=`, or attached; undefined if it is another flag. */
function valueOf(words: readonly string[], at: number, flag: string): string | undefined {
  const word = words[at] ?? ""
  if (word === flag) return words[at + 1] ?? ""
  const equals = word.indexOf("=")
  const name = equals === -1 ? word : word.slice(0, equals)
  if (flag.startsWith("--")) {
    const isShort = name.length > 4 && flag.startsWith(name)
    if (!isShort) return undefined
    return equals === -1 ? (words[at + 1] ?? "") : word.slice(equals + 1)
  }
  if (flag.length > 2) {
    // Programs with single-dash long flags accept two dashes as well.
    if (name.replace(/^--/, "-") !== flag) return undefined
    return equals === -1 ? (words[at + 1] ?? "") : word.slice(equals + 1)
  }
  return word.startsWith(flag) && !word.startsWith("--") ? word.slice(flag.length) : undefined
}

/** `-avze` includes `-e`, whose value follows it or is the next word. */
function bundled(words: readonly string[], at: number, flag: string): string | undefined {
  const word = words[at] ?? ""
  if (flag.length !== 2 || !/^-[A-Za-z]/.test(word)) return undefined
  const found = word.indexOf(flag.slice(1), 1)
  if (found === -1 || !/^-[A-Za-z]+$/.test(word.slice(0, found + 1))) return undefined
  return word.slice(found + 1) || (words[at + 1] ?? "")
}

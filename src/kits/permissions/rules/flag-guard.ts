/** Whether arguments after a rule's own make a program work elsewhere, or start another one. See decision 95. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { printsOrLoops } from "#ground/workspace/shell/programs/sed-script.ts"
import { addressesIn } from "#kits/permissions/addresses.ts"
import { type GuardedWord, guardedWords, valueOf } from "./guarded-words.ts"
import type { RedirectingFlags } from "./flag-families.ts"
import { redirectingFlags } from "./redirecting-flags.ts"
import { resolvedFrom } from "#kits/permissions/paths.ts"

/** Settings that people change for one command and that start nothing. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf)|commit\.gpgsign)=/i

/** Keys that do not make git start a program; any other could name one. */
const harmlessKey =
  /^(?:user\.(?:name|email|signingkey)|(?:color|advice|branch|rerere|rebase|column|blame|status|log)\..+|init\.defaultbranch|push\.(?:default|autosetupremote|followtags)|pull\.(?:rebase|ff)|fetch\.prune|merge\.(?:ff|conflictstyle)|(?:commit|tag)\.gpgsign|core\.(?:autocrlf|eol|filemode|ignorecase|longpaths|quotepath|safecrlf|symlinks))$/i

/** What a rule says about a command: its words, and how many of them are written out. */
export interface RuleOnWords {
  readonly words: readonly string[]
  readonly from: number
}

interface Guarding {
  readonly name: string
  /** The words that may still be flags. */
  readonly words: readonly GuardedWord[]
  /** All of them, also those that stand behind `--`. */
  readonly all: readonly GuardedWord[]
  readonly rule: RuleOnWords
  readonly isInside: (place: string) => boolean
}

/** Whether words after the first `from` lead out of the workspace or start something. */
export function outgrowsRule(segment: Segment, rule: RuleOnWords, isInWorkspace: (path: string) => boolean): boolean {
  const { argv, cwd } = segment
  const name = programName(argv[0] ?? "")
  const tables = redirectingFlags(name)
  if (tables.length === 0) return false
  const { all, flags } = guardedWords(name, segment)
  const texts = flags.map(({ text }) => text)
  if (name === "git" && configuresProgram(texts)) return true
  if (name === "sed" && !hasPlainScript(texts, rule.words)) return true
  const guarding: Guarding = {
    name,
    words: flags,
    all,
    rule,
    isInside: (place) => cwd !== undefined && isInWorkspace(resolvedFrom(cwd, place)),
  }
  return tables.some((each) => outgrows(each, guarding))
}

function outgrows(each: RedirectingFlags, guarding: Guarding): boolean {
  const { places = [], starts = [], atStart, of, bundles, subcommands, words: pattern, first, ifNamed } = each
  const { addresses, pastDashes } = each
  const { name, words, all, rule, isInside } = guarding
  const { from } = rule
  const plain = words.slice(1).filter(({ text, kind }) => kind === "anything" || !text.startsWith("-"))
  const isUnknown = (word: GuardedWord | undefined): boolean => word?.kind === "anything" || word?.kind === "operand"
  if (of && !isUnknown(plain[0]) && !of.includes(plain[0]?.text ?? "")) return false
  if (ifNamed && !rule.words.slice(1).some((word) => ifNamed.test(word))) return false
  if (addresses) {
    const named = addressesIn(name, rule.words).length
    if (named === 0) return false
    const texts = all.map(({ text }) => text)
    if (addressesIn(name, texts).length > named) return true
  }
  // A rule that names the action itself was given for it.
  if (subcommands)
    return (
      subcommands.every((word, i) => isUnknown(plain[i]) || plain[i]?.text === word) &&
      from <= (plain[subcommands.length - 1]?.at ?? -1)
    )
  const unknown = pastDashes ? all : words
  const isFurther = ({ at }: GuardedWord): boolean => at >= from
  if (pattern && unknown.some((word) => isFurther(word) && word.kind === "anything" && !word.isValue)) return true
  if (pattern && all.some((word) => isFurther(word) && word.kind !== "anything" && pattern.test(word.text))) return true
  if (first && plain[1] && plain[1].at >= from && (isUnknown(plain[1]) || first.test(plain[1].text))) return true
  const flags = [...starts, ...places]
  if (flags.length === 0) return false
  const texts = words.map(({ text }) => text)
  for (const [i, { text, kind, at, isValue }] of words.entries()) {
    if (i === 0) continue
    if (kind === "anything") {
      if (at >= from && !isValue) return true
      continue
    }
    if (atStart && !text.startsWith("-") && !flags.includes(texts[i - 1] ?? "")) return false
    if (at < from) continue
    const started = valueOf(texts, i, starts, bundles)
    const place = valueOf(texts, i, places, bundles)
    // Whoever called a file like a flag did not choose what follows it.
    if (kind === "match" && (started !== undefined || place !== undefined)) return true
    if (started !== undefined && !harmlessSetting.test(started) && !isNowhere.test(started)) return true
    const folder = place?.split(":")[0]
    // Piped input is not a file of the workspace.
    if (folder === "-" || (folder !== undefined && !isNowhere.test(folder) && !isInside(folder))) return true
  }
  return false
}

const isNowhere = /^\/dev\/(?:null|stdout|stderr)$/

/** `git config core.pager x` makes a later command start x. */
function configuresProgram(words: readonly string[]): boolean {
  const at = words.indexOf("config")
  if (at === -1 || words.slice(1, at).some((word) => !word.startsWith("-"))) return false
  const operands = words.slice(at + 1).filter((word) => !word.startsWith("-"))
  const [key = "", ...values] = operands[0] === "set" ? operands.slice(1) : operands
  if (words.some((word) => /^(?:-e|--edit|-f|--file(?:=.*)?)$/.test(word)) || operands[0] === "edit") return true
  return key !== "get" && key !== "list" && values.length > 0 && !harmlessKey.test(key)
}

/** Whether every sed script among the words prints, and neither writes files nor runs anything. What the rule itself names is allowed. */
function hasPlainScript(words: readonly string[], named: readonly string[]): boolean {
  const expressions = words.flatMap((word, i) => {
    const before = words[i - 1] ?? ""
    if (/^(?:-[A-Za-z]*e|--expression)$/.test(before)) return [word]
    const [, attached] = /^(?:-[nErszu]*e|--expression=)(.+)$/s.exec(word) ?? []
    return attached === undefined ? [] : [attached]
  })
  const script = words.slice(1).find((word) => !word.startsWith("-")) ?? ""
  return (expressions.length > 0 ? expressions : [script]).every((each) => named.includes(each) || printsOrLoops(each))
}

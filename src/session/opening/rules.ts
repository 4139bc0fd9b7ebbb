/** The rules of a session: those it was opened with, and stricter ones from settings files since. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import type { RuleSource } from "#agent/words/permission.ts"
import { type HiddenPaths, hiddenPaths, type HidingView } from "#kits/permissions/hidden-paths.ts"
import {
  parseRules,
  type PermissionRule,
  type RuleProblem,
  type RuleText,
  ruleText,
} from "#kits/permissions/rules/rule.ts"
import { tighten } from "#kits/permissions/rules/tighten.ts"
import type { Result } from "#lib/result.ts"

export interface SessionRules {
  /** Takes grants of the user from the log: they apply at once, and stricter rules apply again after a resume. */
  readonly onEntry: OnEntry
  readonly add: (rule: RuleText) => void
  /** Takes a rule back that a settings file no longer has. */
  readonly drop: (rule: RuleText) => void
  /** Called whenever the rules change, here or in the files. */
  readonly onChange: (listener: () => void) => void
  /** Whether a rule was removed from a settings file. */
  readonly isGone: (text: string, source: RuleSource) => boolean
  /** A new array when they changed. */
  readonly now: () => readonly PermissionRule[]
  readonly problems: readonly RuleProblem[]
  /** Applies the current files, and returns what the user should know. */
  readonly follow: (read: Result<readonly RuleText[], string>) => readonly Notice[]
}

type Notice = EntryBody & { readonly kind: "notice" }

export function openRules(opened: readonly RuleText[]): SessionRules {
  const { rules, problems } = parseRules(opened)
  let texts = opened
  let written: readonly PermissionRule[] = rules
  let added: readonly PermissionRule[] = []
  let now: readonly PermissionRule[] = rules
  /** Reported once, and again when it changes. */
  let lastReported = ""
  const granted = new Set<string>()
  /** Allow rules from files: all ever seen, and the latest. */
  const ever = new Set<string>()
  let last: ReadonlySet<string> = ever
  const listeners: (() => void)[] = []

  function change(): void {
    now = added.length === 0 ? written : [...written, ...added]
    for (const listener of listeners) listener()
  }

  function add(rule: RuleText): void {
    added = [...added, ...parseRules([rule]).rules]
    change()
  }

  function drop({ behavior, text, source }: RuleText): void {
    const isOther = (rule: PermissionRule): boolean => !isRule(rule, { behavior, text, source })
    if (behavior === "allow") granted.delete(text)
    added = added.filter(isOther)
    texts = texts.filter((rule) => rule.behavior !== behavior || rule.text !== text || rule.source !== source)
    written = written.filter(isOther)
    change()
  }

  return {
    drop,
    onEntry: byKind({
      grant({ behavior, rule, destination, gone }) {
        // What a file no longer has is not in the rules that were read from it.
        if (gone && destination === "session") drop({ behavior: behavior ?? "allow", text: rule, source: "session" })
        if (gone) return
        if (behavior === undefined || behavior === "allow") granted.add(rule)
        else if (destination === "session") add({ behavior, text: rule, source: "session" })
      },
    }),
    add,
    onChange: (listener) => void listeners.push(listener),
    isGone: (text, source) => ever.has(`${source} ${text}`) && !last.has(`${source} ${text}`),
    now: () => now,
    problems,
    follow(read) {
      if (!read.ok) return [note(`The settings of before stay in force: ${read.failure}`)]
      last = new Set(
        read.value.flatMap(({ behavior, text, source }) => (behavior === "allow" ? `${source} ${text}` : [])),
      )
      for (const key of last) ever.add(key)
      const { rules: stricter, waiting } = tighten(texts, read.value)
      const parsed = parseRules(stricter)
      const changed = stricter.filter((rule) => !texts.includes(rule))
      const isOther = changed.length > 0 || stricter.length !== texts.length
      // A rule that was given in this session is no news when its file has it.
      const isNews =
        stricter.length - changed.length !== texts.length ||
        changed.some((rule) => !added.some((own) => isRule(own, rule)))
      if (isOther) {
        texts = stricter
        written = parsed.rules
      }
      change()
      const news = parsed.problems.filter(({ rule }) => changed.includes(rule)).map(({ message }) => message)
      if (isNews) news.push("The settings changed: their stricter rules apply from now on.")
      const later = waiting
        .filter(({ behavior, text }) => behavior !== "allow" || !granted.has(text))
        .map(({ behavior, text }) => `${behavior} ${text}`)
        .join(", ")
      if (later !== "" && later !== lastReported) news.push(`The settings changed: ${laterWords(later)}`)
      lastReported = later
      return news.map(note)
    },
  }
}

const isRule = (rule: PermissionRule, { behavior, text, source }: RuleText): boolean =>
  rule.behavior === behavior && ruleText(rule) === text && rule.source === source

/** Not a warning: warnings mark the end of a chore, and this may come during one. */
const note = (text: string): Notice => ({ kind: "notice", level: "info", text })

/** Allow rules do not apply now, because anything that runs in the session could have written them. */
const laterWords = (rules: string): string =>
  `what would permit more waits for the next start (${rules}). To permit it now, add it with /permissions or answer a question with always.`

/** Always by the current rules, also those that change during a search. */
export function hiding(rules: () => readonly PermissionRule[], view: HidingView): HiddenPaths {
  let from: readonly PermissionRule[] | undefined
  let hidden: HiddenPaths | undefined
  function by(now: readonly PermissionRule[]): HiddenPaths {
    if (hidden === undefined || now !== from) hidden = hiddenPaths(now, view)
    from = now
    return hidden
  }
  return {
    isHidden: (path) => by(rules()).isHidden(path),
    hiddenIn(folder) {
      let judgedBy: readonly PermissionRule[] | undefined
      let isHidden: (path: string) => boolean = () => false
      return (path) => {
        const now = rules()
        if (now !== judgedBy) {
          judgedBy = now
          isHidden = by(now).hiddenIn(folder)
        }
        return isHidden(path)
      }
    },
  }
}

/** Rules that the user gives while they are asked: for the session, or kept in a settings file as well. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type Grant, type GrantDestination, grantDestinations, type RuleSource } from "#agent/words/permission.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { parseRules, type PermissionRule, ruleText } from "./rule.ts"
import { unsavable } from "./unsavable.ts"

export interface Grants {
  /** The rules in force, with what was granted; the same list as long as nothing changed. */
  readonly rules: () => readonly PermissionRule[]
  /** Where rules may be kept. */
  readonly destinations: readonly GrantDestination[]
  /** Takes a rule from the user: records it, keeps it where they want it, and says so when that fails. */
  readonly remember: (grant: Grant) => void
  /** The same, and says why when it was not taken. */
  readonly add: (grant: Grant) => Result<void, string>
  /** A grant in the log: it counts again when it was for the session. Files speak for themselves. */
  readonly take: (grant: Grant) => void
  /** Calls back whenever other rules are in force; gives the way to end that. */
  readonly onChange: (listener: () => void) => () => void
}

export function openGrants(ports: {
  readonly rules: () => readonly PermissionRule[]
  readonly record: (body: Extract<EntryBody, { readonly kind: "grant" | "notice" }>) => void
  readonly save?: (grant: Grant) => Result<void, string>
  /** Calls back when the rules beside these changed. */
  readonly onRules?: (listener: () => void) => void
  /** Whether a rule was in a settings file and was taken out of it. */
  readonly isGone?: (text: string, source: RuleSource) => boolean
}): Grants {
  let granted: readonly PermissionRule[] = []
  let from: { readonly rules: readonly PermissionRule[]; readonly granted: readonly PermissionRule[] } | undefined
  let all: readonly PermissionRule[] = []
  const { save } = ports
  const listeners = new Set<() => void>()
  const tell = (): void => listeners.forEach((listener) => listener())
  ports.onRules?.(() => {
    const kept = granted.filter((rule) => !ports.isGone?.(ruleText(rule), rule.source))
    if (kept.length < granted.length) granted = kept
    tell()
  })

  function add({ rule, destination }: Grant): string | undefined {
    const { rules, problems } = parseRules([{ behavior: "allow", text: rule, source: destination }])
    if (rules.length === 0) return problems[0]?.message ?? "it is no rule"
    granted = [...granted, ...rules]
    tell()
    return undefined
  }

  const warn = (text: string): void => ports.record({ kind: "notice", level: "warning", text })

  function keep(grant: Grant): Result<void, string> {
    if (!save) return failed("No rule was kept: here only those of the managed policy count.")
    // What is for the session comes back through the log, like everything that lasts.
    const wrong = check(grant) ?? (grant.destination === "session" ? undefined : add(grant))
    if (wrong !== undefined) return failed(`The rule was not kept, and counts for nothing. ${wrong}`)
    ports.record({ kind: "grant", rule: grant.rule, destination: grant.destination })
    if (grant.destination === "session") return ok(undefined)
    const saved = save(grant)
    if (!saved.ok) warn(`The rule ${grant.rule} counts for this session only. ${saved.failure}`)
    return ok(undefined)
  }

  return {
    destinations: save ? grantDestinations : [],
    rules() {
      const rules = ports.rules()
      if (from?.rules !== rules || from.granted !== granted) {
        from = { rules, granted }
        all = granted.length === 0 ? rules : [...rules, ...granted]
      }
      return all
    },
    remember(grant) {
      const kept = keep(grant)
      if (!kept.ok) warn(kept.failure)
    },
    add: keep,
    take({ rule, destination, behavior }) {
      if (destination === "session" && (behavior ?? "allow") === "allow") add({ rule, destination })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const check = ({ rule, destination }: Grant): string | undefined =>
  unsavable({ behavior: "allow", text: rule, source: destination })

/** Rules that the user grants when asked: for the session, or saved to a settings file as well. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type Grant, type GrantDestination, grantDestinations, type RuleSource } from "#agent/words/permission.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { aboutEverything } from "./rules/about-everything.ts"
import { parseRules, type PermissionRule, ruleText } from "./rules/rule.ts"
import { unsavable } from "./rules/unsavable.ts"

export interface Grants {
  /** The rules in force, with grants; the same array as long as nothing changed. */
  readonly rules: () => readonly PermissionRule[]
  readonly destinations: readonly GrantDestination[]
  /**
   * Records a user's rule, saves it where they want it, and reports a failure. One that they wrote in place of those
   * offered has to name something.
   */
  readonly remember: (grant: Grant, offered?: readonly string[]) => void
  /** Returns why a rule was not accepted. */
  readonly add: (grant: Grant) => Result<void, string>
  /** A grant from the log: session grants count again. Files are read separately. */
  readonly apply: (grant: Grant & { readonly gone?: true }) => void
  /** Takes a rule back. */
  readonly drop: (rule: string, destination: GrantDestination) => void
  readonly onChange: (listener: () => void) => () => void
}

export function openGrants(ports: {
  readonly rules: () => readonly PermissionRule[]
  readonly record: (body: Extract<EntryBody, { readonly kind: "grant" | "notice" }>) => void
  readonly save?: (grant: Grant) => Result<void, string>
  readonly onRules?: (listener: () => void) => void
  readonly isGone?: (text: string, source: RuleSource) => boolean
}): Grants {
  let granted: readonly PermissionRule[] = []
  let from: { readonly rules: readonly PermissionRule[]; readonly granted: readonly PermissionRule[] } | undefined
  let all: readonly PermissionRule[] = []
  const { save } = ports
  const listeners = new Set<() => void>()
  const notifyListeners = (): void => listeners.forEach((listener) => listener())
  ports.onRules?.(() => {
    const kept = granted.filter((rule) => !ports.isGone?.(ruleText(rule), rule.source))
    if (kept.length < granted.length) granted = kept
    notifyListeners()
  })

  function add({ rule, destination }: Grant): string | undefined {
    const { rules, problems } = parseRules([{ behavior: "allow", text: rule, source: destination }])
    if (rules.length === 0) return problems[0]?.message ?? "it is no rule"
    granted = [...granted, ...rules]
    notifyListeners()
    return undefined
  }

  function drop(rule: string, destination: GrantDestination): void {
    granted = granted.filter((one) => ruleText(one) !== rule || one.source !== destination)
    notifyListeners()
  }

  const warn = (text: string): void => ports.record({ kind: "notice", level: "warning", text })

  function keep(grant: Grant): Result<void, string> {
    if (!save) return failed("No rule was kept: here only those of the managed policy count.")
    // Session grants come back through the log, like everything that lasts.
    const wrong = check(grant) ?? (grant.destination === "session" ? undefined : add(grant))
    if (wrong !== undefined) return failed(`The rule was not saved. ${wrong}`)
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
    remember(grant, offered) {
      const tooWide = offered?.includes(grant.rule) === false ? aboutEverything(grant.rule) : undefined
      const kept = tooWide === undefined ? keep(grant) : failed(`The rule was not saved. ${tooWide}`)
      if (!kept.ok) warn(kept.failure)
    },
    add: keep,
    drop,
    apply({ rule, destination, behavior, gone }) {
      if (gone) drop(rule, destination)
      else if (destination === "session" && (behavior ?? "allow") === "allow") add({ rule, destination })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const check = ({ rule, destination }: Grant): string | undefined =>
  unsavable({ behavior: "allow", text: rule, source: destination })

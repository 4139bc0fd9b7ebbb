/** Rules that the person gives while they are asked: for the session, or kept in a settings file as well. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type Grant, type GrantDestination, grantDestinations } from "#agent/words/permission.ts"
import type { Result } from "#lib/result.ts"
import { parseRules, type PermissionRule } from "./rule.ts"
import { unsavable } from "./unsavable.ts"

export interface Grants {
  /** The rules in force, with what was granted; the same list as long as nothing changed. */
  readonly rules: () => readonly PermissionRule[]
  /** Where rules may be kept. */
  readonly destinations: readonly GrantDestination[]
  /** Takes a rule from the person: records it, keeps it where they want it, and says so when that fails. */
  readonly remember: (grant: Grant) => void
  /** A grant in the log: it counts again when it was for the session. Files speak for themselves. */
  readonly take: (grant: Grant) => void
}

export function openGrants(ports: {
  readonly rules: () => readonly PermissionRule[]
  readonly record: (body: Extract<EntryBody, { readonly kind: "grant" | "notice" }>) => void
  readonly save?: (grant: Grant) => Result<void, string>
}): Grants {
  let granted: readonly PermissionRule[] = []
  let from: { readonly rules: readonly PermissionRule[]; readonly granted: readonly PermissionRule[] } | undefined
  let all: readonly PermissionRule[] = []
  const { save } = ports

  function add({ rule, destination }: Grant): string | undefined {
    const { rules, problems } = parseRules([{ behavior: "allow", text: rule, source: destination }])
    if (rules.length === 0) return problems[0]?.message ?? "it is no rule"
    granted = [...granted, ...rules]
    return undefined
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
      const warn = (why: string): void => ports.record({ kind: "notice", level: "warning", text: why })
      if (!save) return warn("No rule was kept: here only those of the managed policy count.")
      // What is for the session comes back through the log, like everything that lasts.
      const wrong = check(grant) ?? (grant.destination === "session" ? undefined : add(grant))
      if (wrong !== undefined) return warn(`The rule was not kept, and counts for nothing. ${wrong}`)
      ports.record({ kind: "grant", rule: grant.rule, destination: grant.destination })
      if (grant.destination === "session") return
      const saved = save(grant)
      if (!saved.ok) warn(`The rule ${grant.rule} counts for this session only. ${saved.failure}`)
    },
    take(grant) {
      if (grant.destination === "session") add(grant)
    },
  }
}

const check = ({ rule, destination }: Grant): string | undefined =>
  unsavable({ behavior: "allow", text: rule, source: destination })

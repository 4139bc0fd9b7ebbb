/** Adds a permission rule while the session is open; the rule applies at once. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Op } from "#agent/words/op.ts"
import type { Grant } from "#agent/words/permission.ts"
import { rulePlace, saveRule } from "#ground/settings/save.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { unsavable } from "#kits/permissions/rules/unsavable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import type { SessionRules } from "#session/opening/rules.ts"

export function addRule(
  { behavior, rule, destination }: Op & { readonly type: "add_rule" },
  {
    rules,
    grants,
    record,
    place,
  }: {
    readonly rules: Pick<SessionRules, "add">
    readonly grants: Pick<Grants, "add">
    readonly record: (body: EntryBody & { readonly kind: "grant" }) => void
    readonly place: SessionPlace
  },
): Result<void, string> {
  if (behavior === "allow") return grants.add({ rule, destination })
  const wrong = unsavable({ behavior, text: rule, source: destination })
  if (wrong !== undefined) return failed(wrong)
  const grant = { rule, destination, behavior }
  const saved = saveGrant(grant, place)
  if (!saved.ok) return saved
  record({ kind: "grant", ...grant })
  // Session rules come back through the log.
  if (destination !== "session") rules.add({ behavior, text: rule, source: destination })
  return ok(undefined)
}

export function saveGrant(
  { rule, destination, behavior }: Grant,
  place: Pick<SessionPlace, "cwd" | "stateFolder" | "home">,
): Result<void, string> {
  if (destination === "session") return ok(undefined)
  const { cwd: root, stateFolder: state, home } = place
  const saved = saveRule({ ...rulePlace(destination, { root, state, home }), behavior: behavior ?? "allow", rule })
  return saved.ok ? ok(undefined) : saved
}

/** The parent of a member whose lead runs in another process: what it inherits as its lead last published it, and the calls to its lead. */

import type { GateFact } from "#agent/words/gates.ts"
import { foldProgress } from "#kits/gates/progress.ts"
import type { GateRoom } from "#kits/gates/room.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { parseRules, type PermissionRule, ruleText } from "#kits/permissions/rules/rule.ts"
import { failed } from "#lib/result.ts"
import type { ParentPorts } from "#session/opening/child.ts"
import type { Inherited } from "#session/opening/inherited.ts"
import type { Upward } from "#session/opening/upward.ts"

export const separateParent = (parts: {
  readonly sessionId: string
  readonly transcript: string
  /** The same value as long as nothing changed. */
  readonly inherited: () => Inherited
  readonly up: Upward
}): ParentPorts => {
  const { inherited, up } = parts
  return {
    ...up,
    sessionId: parts.sessionId,
    transcript: parts.transcript,
    mode: () => inherited().mode,
    denials: () => inherited().denials,
    planSlug: () => inherited().planSlug,
    grants: inheritedGrants(inherited, up.grants.remember),
    gates: inheritedGates(inherited, up.gates.note),
  }
}

/** What happened here counts at once, and until the lead publishes what it made of it. */
function inheritedGates(inherited: () => Inherited, note: GateRoom["note"]): GateRoom {
  let own: { readonly fact: GateFact; readonly since: string } | undefined
  return {
    get gates() {
      return inherited().gates
    },
    progress() {
      const { progress } = inherited()
      return own?.since === JSON.stringify(progress) ? foldProgress(progress, { kind: "gate", ...own.fact }) : progress
    },
    note(fact) {
      own = { fact, since: JSON.stringify(inherited().progress) }
      note(fact)
    },
    isUnanswered: () => false,
    // What was seen is known to the lead's process, and a review too many is better than one too few.
    seen: () => undefined,
  }
}

function inheritedGrants(inherited: () => Inherited, remember: Grants["remember"]): Grants {
  let from: Inherited | undefined
  /** What the user granted here and the lead does not have yet. */
  let granted: readonly PermissionRule[] = []
  let all: readonly PermissionRule[] = []
  const isIn = (rules: readonly PermissionRule[], one: PermissionRule): boolean =>
    rules.some((rule) => rule.behavior === one.behavior && ruleText(rule) === ruleText(one))
  function update(now: Inherited): void {
    const { rules } = parseRules(now.rules)
    granted = granted.filter((rule) => !isIn(rules, rule))
    from = now
    all = [...rules, ...granted]
  }
  return {
    rules() {
      const now = inherited()
      if (now !== from) update(now)
      return all
    },
    get destinations() {
      return inherited().destinations
    },
    remember(grant) {
      const { rules } = parseRules([{ behavior: "allow", text: grant.rule, source: grant.destination }])
      granted = [...granted, ...rules]
      update(inherited())
      remember(grant)
    },
    add: () => failed("The rules of a member are those of its lead. Add it in the lead's session."),
    apply: () => {},
    drop: () => {},
    onChange: () => () => {},
  }
}

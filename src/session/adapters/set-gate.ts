/** Switches a gate of an open session: recorded first, so that it counts in every process that continues the session. See decision 92. */

import type { Op } from "#agent/words/op.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import { ok, type Result } from "#lib/result.ts"
import type { LiveGates } from "#session/opening/gates.ts"
import type { PermissionChoice } from "#session/opening/options.ts"
import type { States } from "#session/opening/states.ts"

export interface SetGateParts {
  readonly gates: Pick<LiveGates, "turned">
  readonly isHeld: () => boolean
  readonly states: Pick<States, "logged">
  readonly plan: Pick<PlanKit, "modeBefore">
  readonly permissions: Pick<PermissionChoice, "mode" | "bypassAvailable">
  readonly record: (body: EntryBody) => void
}

export function setGate(
  op: Op & { readonly type: "set_gate" },
  { gates, isHeld, states, plan, permissions, record }: SetGateParts,
): Result<void, string> {
  const turned = gates.turned(op)
  if (!turned.ok) return turned
  if (!turned.value) return ok(undefined)
  const wasHeld = isHeld()
  record(turned.value)
  const isFreed = wasHeld && !isHeld() && states.logged().mode === "plan" && permissions.mode !== "plan"
  if (!isFreed) return ok(undefined)
  // The gate brought it into plan mode, so it leaves it as an approval would.
  const before = plan.modeBefore()
  record({ kind: "mode", mode: before === "bypassPermissions" && !permissions.bypassAvailable ? "default" : before })
  return ok(undefined)
}

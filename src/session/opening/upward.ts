/** What an agent asks of its parent. In the parent's process these are the parent's own functions; elsewhere they are calls to it. */

import type { PermissionUpdate } from "#agent/words/permission.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import type { GateRoom } from "#kits/gates/room.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { OverBudget } from "./budget-pause.ts"
import type { Widen } from "./widen.ts"

export type Warn = (text: string) => void
export type UpdatePermissions = (updates: readonly PermissionUpdate[]) => Promise<void>

export interface Upward {
  readonly ask: Questions["ask"]
  /** One for the whole tree. */
  readonly ledger: Ledger
  /** What happens when a turn exceeds the budget: the user is asked once for the whole tree. */
  readonly overBudget: OverBudget
  /** Where new rules from the user are kept. */
  readonly grants: Pick<Grants, "remember">
  /** Absent where an answer cannot change the mode: the parent may run nowhere. */
  readonly widen?: Widen
  readonly update: UpdatePermissions
  readonly gates: Pick<GateRoom, "note">
  readonly warn: Warn
}

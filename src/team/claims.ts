/** The tasks that a session holds: begun, kept alive, finished or given back under the lease it got. */

import type { Board, CallKey, TaskFailure, TeamTask } from "#agent/words/team.ts"
import { failed, type Result } from "#lib/result.ts"
import type { Leases } from "./leases.ts"

type TaskChange = Promise<Result<TeamTask, TaskFailure>>

export interface Claims {
  /** The name under which it takes tasks. */
  readonly name: string
  readonly begin: (id: string, call?: CallKey) => TaskChange
  /** One that nobody has is begun and finished at once. */
  readonly finish: (id: string, call?: CallKey) => TaskChange
  readonly giveBack: (id: string, note: string, call?: CallKey) => TaskChange
}

export function openClaims(parts: {
  readonly board: Board
  readonly leases: Pick<Leases, "keepAlive" | "drop">
  /** The name under which it takes tasks. */
  readonly name: string
}): Claims {
  const { board, leases, name } = parts

  /** Also one that this session began before it was closed. */
  async function leaseOf(id: string): Promise<number | undefined> {
    return (await board.claims()).find((each) => each.id === id && each.owner === name)?.lease
  }

  async function claim(id: string, call: CallKey | undefined): Promise<Result<number, TaskFailure>> {
    const claimed = await board.claim(name, { id }, call)
    if (!claimed.ok) return claimed
    leases.keepAlive(claimed.value.lease)
    return { ok: true, value: claimed.value.lease }
  }

  async function ended(lease: number, end: TaskChange): TaskChange {
    const result = await end
    leases.drop(lease)
    return result
  }

  return {
    name,
    async begin(id, call) {
      const lease = await leaseOf(id)
      if (lease === undefined) {
        const claimed = await claim(id, call)
        if (!claimed.ok) return claimed
      } else leases.keepAlive(lease)
      const task = await board.get(id)
      return task ? { ok: true, value: task } : failed({ kind: "no_such_task", id })
    },
    async finish(id, call) {
      const currentLease = await leaseOf(id)
      const lease = currentLease === undefined ? await claim(id, call) : ({ ok: true, value: currentLease } as const)
      return lease.ok ? ended(lease.value, board.complete(id, lease.value, call)) : lease
    },
    async giveBack(id, note, call) {
      const open = (await board.claims()).find((each) => each.id === id)
      if (!open) return board.change(id, { status: "pending" }, call)
      if (open.owner !== name) return failed({ kind: "claimed", id, owner: open.owner })
      return ended(open.lease, board.giveBack(id, open.lease, note, call))
    },
  }
}

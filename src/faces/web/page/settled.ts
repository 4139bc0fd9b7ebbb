/** Approvals that were on the screen and are decided now: who decided, and what stands. */

import { useCallback, useEffect, useRef, useState } from "react"
import { at, get } from "./api.ts"
import type { ShownApproval, ShownSession } from "./contract.ts"

export interface Settlement {
  readonly approval: ShownApproval
  /** Absent while it is looked up. */
  readonly state?: ShownApproval["state"]
  readonly by?: string
  readonly at?: string
  /** A decision was sent from here, and another one counts. */
  readonly wasLate?: boolean
}

export interface Settlements {
  readonly all: readonly Settlement[]
  /** After a decision that was sent from here. */
  readonly add: (settlement: Settlement) => void
  readonly dismiss: (approval: ShownApproval) => void
}

const keyOf = ({ sessionId, id, digest }: ShownApproval): string => [sessionId, id, digest].join("\n")

/** Nobody reads more of them. */
const most = 20

export function useSettlements(open: readonly ShownApproval[] | undefined): Settlements {
  const [all, setAll] = useState<readonly Settlement[]>([])
  const seen = useRef<readonly ShownApproval[]>([])
  const own = useRef(new Set<string>())
  const put = useCallback((settlement: Settlement) => {
    const key = keyOf(settlement.approval)
    setAll((before) => [settlement, ...before.filter(({ approval }) => keyOf(approval) !== key)].slice(0, most))
  }, [])
  useEffect(() => {
    if (!open) return
    const now = new Set(open.map(keyOf))
    const gone = seen.current.filter((each) => !now.has(keyOf(each)) && !own.current.has(keyOf(each)))
    seen.current = open
    // What is asked again is not settled.
    setAll((before) => {
      const rest = before.filter(({ approval }) => !now.has(keyOf(approval)) || own.current.has(keyOf(approval)))
      return rest.length === before.length ? before : rest
    })
    if (gone.length > most) return
    for (const approval of gone) void lookUp(approval).then(put)
  }, [open, put])
  return {
    all,
    add: (settlement) => {
      own.current.add(keyOf(settlement.approval))
      put(settlement)
    },
    dismiss: (approval) => setAll((before) => before.filter((each) => keyOf(each.approval) !== keyOf(approval))),
  }
}

async function lookUp(approval: ShownApproval): Promise<Settlement> {
  const session = await get<ShownSession>(`/api/sessions/${at(approval.sessionId)}`)
  if (!session.ok) return { approval }
  const found = session.value.completed.findLast(({ approvalId }) => approvalId === approval.id)
  if (session.value.stage === "cancelled" && found?.state !== "allowed" && found?.state !== "denied")
    return { approval, state: "void" }
  return found ? { approval, state: found.state, by: found.by, at: found.at } : { approval, state: "void" }
}

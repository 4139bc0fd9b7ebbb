/** Approvals that are on the screen, in their places: those that wait, and those that are decided now, with who decided and what stands. */

import { useCallback, useEffect, useRef, useState } from "react"
import { optional } from "#lib/optional.ts"
import { at, get } from "./api.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { ShownSession } from "./contract.ts"

export interface Settlement {
  readonly approval: ShownApproval
  /** Absent while it is looked up. */
  readonly state?: ShownApproval["state"]
  readonly by?: string
  readonly at?: string
  /** A decision was sent from here, and another one counts. */
  readonly wasLate?: boolean
}

/** What stands in one place: something that waits, what became of it, or both if it is asked again with another action. */
export interface PlacedApproval {
  readonly key: string
  readonly open?: ShownApproval
  readonly settlement?: Settlement
  /** All that stands above it: when that changes, it may have moved under somebody's finger. */
  readonly above: string
}

export interface Settlements {
  readonly placed: readonly PlacedApproval[]
  /** After a decision that was sent from here. */
  readonly add: (settlement: Settlement) => void
  readonly dismiss: (approval: ShownApproval) => void
}

const keyOf = ({ sessionId, id, digest }: ShownApproval): string => [sessionId, id, digest].join("\n")
const placeOf = ({ sessionId, id }: ShownApproval): string => [sessionId, id].join("\n")

/** Nobody reads more of them. */
const most = 20

export function useSettlements(open: readonly ShownApproval[] | undefined): Settlements {
  const [all, setAll] = useState<readonly Settlement[]>([])
  const seen = useRef<readonly ShownApproval[]>([])
  const own = useRef(new Set<string>())
  const places = useRef<readonly string[]>([])
  const put = useCallback((settlement: Settlement) => {
    const key = keyOf(settlement.approval)
    const isUsual = (each: Settlement): boolean => own.current.has(keyOf(each.approval)) && !each.wasLate
    // Of what was decided from here the last one is enough; the next decision says that the one before went well.
    setAll((before) =>
      [
        settlement,
        ...before.filter((each) => keyOf(each.approval) !== key && !(isUsual(settlement) && isUsual(each))),
      ].slice(0, most),
    )
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
  places.current = withNew(places.current, open ?? [])
  return {
    placed: placed(places.current, open ?? [], all),
    add: (settlement) => {
      own.current.add(keyOf(settlement.approval))
      put(settlement)
    },
    dismiss: (approval) => setAll((before) => before.filter((each) => keyOf(each.approval) !== keyOf(approval))),
  }
}

/** What was seen once keeps its place, so that nothing else is suddenly where it was. */
const withNew = (places: readonly string[], open: readonly ShownApproval[]): readonly string[] => [
  ...new Set([...places, ...open.map(placeOf)]),
]

function placed(
  places: readonly string[],
  open: readonly ShownApproval[],
  settlements: readonly Settlement[],
): readonly PlacedApproval[] {
  const settled = new Map(settlements.map((each) => [placeOf(each.approval), each]))
  const decided = new Set(settlements.map(({ approval }) => keyOf(approval)))
  const waiting = new Map(open.filter((each) => !decided.has(keyOf(each))).map((each) => [placeOf(each), each]))
  let above = ""
  return places.flatMap((key) => {
    const [own, settlement] = [waiting.get(key), settled.get(key)]
    if (!own && !settlement) return []
    const here = { key, above, ...optional("open", own), ...optional("settlement", settlement) }
    above += `${key} ${own?.digest ?? ""} ${settlement?.state ?? ""}\n`
    return [here]
  })
}

async function lookUp(approval: ShownApproval): Promise<Settlement> {
  const session = await get<ShownSession>(`/api/sessions/${at(approval.sessionId)}`)
  if (!session.ok) return { approval }
  const found = session.value.completed.findLast(({ approvalId }) => approvalId === approval.id)
  if (session.value.stage === "cancelled" && found?.state !== "allowed" && found?.state !== "denied")
    return { approval, state: "void" }
  return found ? { approval, state: found.state, by: found.by, at: found.at } : { approval, state: "void" }
}

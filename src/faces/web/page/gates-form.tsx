/** The gates of a session: which are on, who asks for them, and a switch for those who may. */

import { type ReactNode, useState } from "react"
import { gateDone, gateWhy, gateWords } from "#agent/words/gate-words.ts"
import type { GateOverview } from "#agent/words/gates.ts"
import { forConsent } from "#lib/printable.ts"
import { at, failureText, post } from "./api.ts"
import type { SignedIn } from "./contract.ts"

interface GatesFormProps {
  readonly sessionId: string
  readonly gates: readonly GateOverview[]
  readonly me: SignedIn | undefined
  /** Why this user can only look at them. */
  readonly readOnly: string | undefined
  readonly onChange: () => void
}

export function GatesForm({ sessionId, gates: known, me, readOnly, onChange }: GatesFormProps): ReactNode {
  /** What the server answered, until the session itself is got again. */
  const [answer, setAnswer] = useState<{ readonly to: string; readonly gates: readonly GateOverview[] } | undefined>()
  const gates = answer?.to === JSON.stringify(known) ? answer.gates : known
  const [busy, setBusy] = useState<string | undefined>()
  const [said, setSaid] = useState({ text: "", isBad: false })
  const turn = async ({ gate, on }: GateOverview): Promise<void> => {
    setBusy(gate)
    setSaid({ text: "", isBad: false })
    const answered = await post<{ readonly gates: readonly GateOverview[] }>(`/api/sessions/${at(sessionId)}/gates`, {
      gate,
      on: !on,
    })
    setBusy(undefined)
    if (answered.ok) setAnswer({ to: JSON.stringify(known), gates: answered.value.gates })
    setSaid(
      answered.ok ? { text: gateDone(gate, !on), isBad: false } : { text: failureText(answered.failure), isBad: true },
    )
    onChange()
  }
  return (
    <div className="form gates">
      {gates.map((gateState) => {
        const why = forConsent(gateWhy(gateState))
        const hint = readOnly === undefined ? keptWords(gateState, me) : ""
        return (
          <label key={gateState.gate} className="choice" data-gate={gateState.gate}>
            <input
              type="checkbox"
              role="switch"
              checked={gateState.on}
              disabled={busy !== undefined || hint !== undefined}
              onChange={() => void turn(gateState)}
            />
            <span>
              {gateWords[gateState.gate]}
              {(why !== "" || hint !== undefined) && (
                <span className="dim why"> {[why, hint ?? ""].filter((text) => text !== "").join("; ")}</span>
              )}
            </span>
          </label>
        )
      })}
      {readOnly !== undefined && <p className="dim">{readOnly}</p>}
      <p role="status" className={said.text === "" ? "hidden" : said.isBad ? "bad" : "dim"}>
        {busy === undefined ? forConsent(said.text) : "Switching…"}
      </p>
    </div>
  )
}

/** Why this user cannot switch it; undefined if they can. */
function keptWords({ kept }: GateOverview, me: SignedIn | undefined): string | undefined {
  if (me === undefined) return ""
  if (kept === "policy") return "stays on"
  return kept === "admin" && me.role !== "admin" ? "only an admin can switch it off" : undefined
}

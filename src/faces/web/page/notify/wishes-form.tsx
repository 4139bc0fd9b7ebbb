/** What somebody is notified about, and when not. */

import { type ReactNode, useId, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { failureText, post } from "#faces/web/page/api.ts"
import type { Notifications } from "#faces/web/page/contract-lists.ts"

interface WishesFormProps {
  readonly settings: Notifications
  readonly onChange: () => void
}

const night = { from: "22:00", to: "07:00" } as const

export function WishesForm({ settings, onChange }: WishesFormProps): ReactNode {
  const { hearsAll, mayHearAll, quiet } = settings
  const [isAll, setAll] = useState(hearsAll)
  const [isQuiet, setQuiet] = useState(quiet !== undefined)
  const [from, setFrom] = useState<string>(quiet?.from ?? night.from)
  const [to, setTo] = useState<string>(quiet?.to ?? night.to)
  const [zone, setZone] = useState(quiet?.zone ?? zoneHere())
  const [said, setSaid] = useState({ text: "", isBad: false })
  const [allId, fromId, toId, zoneId] = [useId(), useId(), useId(), useId()]
  const save = async (): Promise<void> => {
    const body = { hearsAll: isAll, ...(isQuiet && { quiet: { from, to, zone } }) }
    const saved = await post("/api/notifications", body)
    setSaid(saved.ok ? { text: "Saved.", isBad: false } : { text: forConsent(failureText(saved.failure)), isBad: true })
    onChange()
  }
  return (
    <section className="card" aria-labelledby="wishes">
      <h2 id="wishes">What and when</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {mayHearAll && (
          <div className="row">
            <label htmlFor={allId}>Notify me about</label>
            <select id={allId} value={isAll ? "all" : "own"} onChange={({ target }) => setAll(target.value === "all")}>
              <option value="own">My sessions and those shared with me</option>
              <option value="all">All sessions I can decide in</option>
            </select>
          </div>
        )}
        <label className="check">
          <input type="checkbox" checked={isQuiet} onChange={({ target }) => setQuiet(target.checked)} />
          Quiet hours
        </label>
        {isQuiet && (
          <div className="hours">
            <span className="row">
              <label htmlFor={fromId}>From</label>
              <input id={fromId} type="time" required value={from} onChange={({ target }) => setFrom(target.value)} />
            </span>
            <span className="row">
              <label htmlFor={toId}>To</label>
              <input id={toId} type="time" required value={to} onChange={({ target }) => setTo(target.value)} />
            </span>
            <span className="row">
              <label htmlFor={zoneId}>Time zone</label>
              <select id={zoneId} value={zone} onChange={({ target }) => setZone(target.value)}>
                {zones(zone).map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </span>
          </div>
        )}
        {isQuiet && (
          <p className="dim">
            Approvals that arrive during quiet hours are sent afterwards, if they are still open. Those that would
            expire first are sent at once.
          </p>
        )}
        <div className="buttons">
          <button type="submit">Save</button>
        </div>
        <p role="status" className={said.text === "" ? "hidden" : said.isBad ? "bad" : "good"}>
          {said.text}
        </p>
      </form>
    </section>
  )
}

const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Every one the browser knows, and the chosen one. */
const zones = (chosen: string): readonly string[] => [
  ...new Set([chosen, "UTC", ...Intl.supportedValuesOf("timeZone")]),
]

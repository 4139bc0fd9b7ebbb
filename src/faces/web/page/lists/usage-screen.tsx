/** What sessions cost and how many there were over the last weeks, as charts. */

import { type ReactNode, useState } from "react"
import { costText, counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { type Usage, type UsageKind, usageKinds } from "#faces/web/page/contract-lists.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { usePolled } from "#faces/web/page/polled.ts"
import { QuotaList } from "./quota-list.tsx"

const money = (usd: number): string => (usd === 0 ? "$0" : costText(usd))

const kindNames: { readonly [kind in UsageKind]: string } = {
  person: "Person",
  repository: "Repository",
  model: "Model",
}

export function UsageScreen(): ReactNode {
  const [kind, setKind] = useState<UsageKind>("person")
  const [days, setDays] = useState(30)
  const usage = usePolled<Usage>(`/api/usage?by=${kind}&days=${days}`, { everyMs: 60_000 })
  return (
    <div className="screen broad usage-screen">
      <div className="heading">
        <h1>Usage</h1>
        <div role="group" aria-label="By" className="segmented">
          {usageKinds.map((each) => (
            <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
              {kindNames[each]}
            </button>
          ))}
        </div>
        <label>
          <span className="hidden">Days</span>
          <select value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {[7, 30, 90].map((each) => (
              <option key={each} value={each}>
                {each} days
              </option>
            ))}
          </select>
        </label>
      </div>
      <QuotaList />
      {usage.value ? <Charts usage={usage.value} kind={kind} /> : <Loading failure={usage.failure} what="the usage" />}
    </div>
  )
}

function Charts({ usage, kind }: { readonly usage: Usage; readonly kind: UsageKind }): ReactNode {
  const { shares } = usage
  if (shares.length === 0)
    return (
      <div className="empty">
        <h2>No sessions in this time</h2>
      </div>
    )
  const total = shares.reduce((sum, { costUsd }) => sum + costUsd, 0)
  const count = shares.reduce((sum, { sessions }) => sum + sessions, 0)
  return (
    <>
      <section aria-label="Cost">
        <h2>
          Cost <span className="dim">{money(total)}</span>
        </h2>
        <Bars usage={usage} values={(share) => share.costs} words={money} />
      </section>
      <section aria-label="Activity">
        <h2>
          Sessions <span className="dim">{count.toLocaleString("en")}</span>
        </h2>
        <Bars usage={usage} values={(share) => share.counts} words={(each) => counted(each, "session")} />
      </section>
      <div className="wide" tabIndex={0} role="group" aria-label={`By ${kind}`}>
        <table className="usage">
          <thead>
            <tr>
              <th scope="col">{kindNames[kind]}</th>
              <th scope="col">Cost</th>
              <th scope="col">Sessions</th>
              <th scope="col">Each</th>
            </tr>
          </thead>
          <tbody>
            {shares.map(({ name, costUsd, sessions }, nth) => (
              <tr key={name}>
                <th scope="row">
                  <span className={`key share-${nth}`} aria-hidden="true" /> {forConsent(name)}
                </th>
                <td>{money(costUsd)}</td>
                <td>{sessions.toLocaleString("en")}</td>
                <td>{money(sessions === 0 ? 0 : costUsd / sessions)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

type Share = Usage["shares"][number]

interface BarsProps {
  readonly usage: Usage
  readonly values: (share: Share) => readonly number[]
  readonly words: (value: number) => string
}

const [width, height, gap] = [900, 150, 2]

/** One bar for each day, with a part for each share, the largest at the bottom. The table below says the same. */
function Bars({ usage: { days, shares }, values, words }: BarsProps): ReactNode {
  const sums = days.map((_, nth) => shares.reduce((sum, share) => sum + (values(share)[nth] ?? 0), 0))
  const most = Math.max(...sums, 0)
  const step = width / days.length
  const label = `${words(sums.reduce((sum, each) => sum + each, 0))} in ${counted(days.length, "day")}; most on one day: ${words(most)}`
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
        {days.map((day, nth) => {
          let top = height
          return (
            <g key={day}>
              <title>{`${day}: ${words(sums[nth] ?? 0)}`}</title>
              <rect className="hover" x={nth * step} y={0} width={step} height={height} />
              {shares.map((share, at) => {
                const high = most === 0 ? 0 : ((values(share)[nth] ?? 0) / most) * (height - 4)
                top -= high
                return high === 0 ? null : (
                  <rect
                    key={share.name}
                    className={`share-${at}`}
                    x={nth * step + gap / 2}
                    y={top}
                    width={Math.max(1, step - gap)}
                    height={high}
                  />
                )
              })}
            </g>
          )
        })}
      </svg>
      <figcaption className="dim">
        <span>{days[0]}</span>
        <span>most: {words(most)}</span>
        <span>{days.at(-1)}</span>
      </figcaption>
    </figure>
  )
}

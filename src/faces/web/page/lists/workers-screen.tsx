/** Who runs sessions, and how much of it is in use. */

import type { ReactNode } from "react"
import { forConsent } from "#lib/printable.ts"
import type { ShownWorker } from "#faces/web/page/contract.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { useNow, usePolled } from "#faces/web/page/polled.ts"
import { ago } from "#faces/web/page/words.ts"

/** One that was not heard of for so long is taken for gone. */
const silentMs = 60_000

export function WorkersScreen(): ReactNode {
  const now = useNow()
  const { value, failure } = usePolled<{ readonly workers: readonly ShownWorker[] }>("/api/workers", {
    everyMs: 3_000,
    on: ["workers"],
  })
  const workers = value?.workers
  const slots = workers?.reduce((sum, each) => sum + each.slots, 0) ?? 0
  const busy = workers?.reduce((sum, each) => sum + each.busy, 0) ?? 0
  return (
    <div className="screen broad">
      <h1>Workers</h1>
      {!workers && <Loading failure={failure} what="workers" />}
      {workers?.length === 0 && (
        <div className="empty">
          <h2>No workers</h2>
          <p>
            Sessions wait until a worker takes them. Start one with <code>codewright worker --database …</code>, or
            restart <code>codewright serve</code> without <code>--slots 0</code>.
          </p>
        </div>
      )}
      {workers && workers.length > 0 && (
        <>
          <p>
            {busy} of {slots} slots in use
          </p>
          <ul className="rows workers">
            {workers.map((worker) => (
              <WorkerRow key={worker.id} worker={worker} now={now} />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function WorkerRow({ worker, now }: { readonly worker: ShownWorker; readonly now: number }): ReactNode {
  const { id, host, pid, slots, busy, labels, seenAt } = worker
  const isSilent = now - Date.parse(seenAt) > silentMs
  return (
    <li className="row-link">
      <span className="row-title">
        {forConsent(host)} <span className="dim">pid {pid}</span>
      </span>
      <span className={`pill ${isSilent ? "failed" : busy > 0 ? "works" : "quiet"}`}>
        {isSilent ? "Not responding" : busy > 0 ? "Working" : "Idle"}
      </span>
      <span className="load">
        <progress max={Math.max(1, slots)} value={busy} aria-label={`Slots in use on ${forConsent(host)}`} />
        <span>
          {busy} / {slots}
        </span>
      </span>
      <span className="row-facts dim">
        {forConsent(id)}
        {labels.length > 0 && ` · ${labels.map(forConsent).join(", ")}`}
      </span>
      <span className="row-age dim">seen {ago(seenAt, now)}</span>
    </li>
  )
}

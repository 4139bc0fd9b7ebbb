/** All sessions, by what they wait for. */

import { type ReactNode, useState } from "react"
import type { SessionStage } from "#agent/words/stage.ts"
import { costText } from "#lib/figures.ts"
import { bared } from "#lib/printable.ts"
import { get } from "./api.ts"
import type { SessionPage, ShownSession } from "./contract.ts"
import { Loading } from "./loading.tsx"
import { useNow, usePolled } from "./polled.ts"
import { toSession } from "./route.ts"
import { StagePill } from "./stage-pill.tsx"
import { ago, stageGroups, stageWords } from "./words.ts"

export function SessionsScreen(): ReactNode {
  const now = useNow()
  const [stage, setStage] = useState<SessionStage | "">("")
  const [more, setMore] = useState<SessionPage | undefined>()
  const path = `/api/sessions?limit=50${stage === "" ? "" : `&stage=${stage}`}`
  const first = usePolled<SessionPage>(path, { everyMs: 4_000, on: ["sessions", "approvals"] })
  const known = first.value && [...first.value.sessions, ...(more?.sessions ?? [])]
  const next = more ? more.next : first.value?.next
  const loadMore = async (after: string): Promise<void> => {
    const page = await get<SessionPage>(`${path}&after=${encodeURIComponent(after)}`)
    if (page.ok) setMore({ ...page.value, sessions: [...(more?.sessions ?? []), ...page.value.sessions] })
  }
  const sessions = known && [...new Map(known.map((each) => [each.id, each])).values()]
  return (
    <div className="screen">
      <div className="heading">
        <h1>Sessions</h1>
        <label>
          <span className="hidden">Stage</span>
          <select
            value={stage}
            onChange={({ target }) => {
              setMore(undefined)
              setStage(allStages.find((each) => each === target.value) ?? "")
            }}
          >
            <option value="">All stages</option>
            {allStages.map((each) => (
              <option key={each} value={each}>
                {stageWords[each].name}
              </option>
            ))}
          </select>
        </label>
        <a href="#/new" className="button primary">
          New session
        </a>
      </div>
      {!sessions && <Loading failure={first.failure} what="sessions" />}
      {sessions?.length === 0 && (
        <div className="empty">
          <h2>{stage === "" ? "No sessions yet" : "No sessions in this stage"}</h2>
          <p>{stage === "" ? "Give Codewright a task in one of your repositories." : "Choose another stage."}</p>
          <p>
            <a href="#/new" className="button">
              Start a session
            </a>
          </p>
        </div>
      )}
      {sessions &&
        stageGroups.map(({ name, tones }) => {
          const group = sessions.filter((each) => tones.includes(stageWords[each.stage].tone))
          return group.length === 0 ? null : (
            <section key={name} aria-label={name}>
              <h2>
                {name} <span className="dim">{group.length}</span>
              </h2>
              <ul className="rows">
                {group.map((session) => (
                  <SessionRow key={session.id} session={session} now={now} />
                ))}
              </ul>
            </section>
          )
        })}
      {next !== undefined && (
        <button type="button" className="more" onClick={() => void loadMore(next)}>
          Load more
        </button>
      )}
    </div>
  )
}

const allStages = Object.keys(stageWords) as SessionStage[]

function SessionRow({ session, now }: { readonly session: ShownSession; readonly now: number }): ReactNode {
  const { id, title, query, stage, model, costUsd, updatedAt, worker, pending } = session
  return (
    <li>
      <a href={toSession(id)} className="row-link" data-row>
        <span className="row-title">{bared(title)}</span>
        <StagePill stage={stage} />
        <span className="row-query dim">{bared(pending[0]?.title ?? query)}</span>
        <span className="row-facts dim">
          {[
            bared(model),
            ...(costUsd > 0 ? [costText(costUsd)] : []),
            ...(worker ? [`on ${bared(worker.host)}`] : []),
          ].join(" · ")}
        </span>
        <span className="row-age dim">{ago(updatedAt, now)}</span>
      </a>
    </li>
  )
}

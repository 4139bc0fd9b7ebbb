/** All sessions, by what they wait for. */

import { type ReactNode, useState } from "react"
import { type SessionStage, stages } from "#agent/words/stage.ts"
import { costText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"
import type { ShownSession } from "./contract.ts"
import { Loading } from "./loading.tsx"
import { useNow } from "./polled.ts"
import { toSession } from "./route.ts"
import { type SessionList, useSessionList } from "./session-list.ts"
import { StagePill } from "./stage-pill.tsx"
import { ago, placeName, stageGroups, stageWords } from "./words.ts"

export function SessionsScreen(): ReactNode {
  const [stage, setStage] = useState<SessionStage | "">("")
  return (
    <div className="screen">
      <div className="heading">
        <h1>Sessions</h1>
        <label>
          <span className="hidden">Stage</span>
          <select value={stage} onChange={({ target }) => setStage(stages.find((each) => each === target.value) ?? "")}>
            <option value="">All stages</option>
            {stages.map((each) => (
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
      {stage === "" ? <AllStages /> : <OneStage key={stage} stage={stage} />}
    </div>
  )
}

const stagesOf = (group: (typeof stageGroups)[number]): readonly SessionStage[] =>
  stages.filter((each) => group.tones.includes(stageWords[each].tone))

/** Each group is asked for by itself: what waits is here, however many others came after it. */
function AllStages(): ReactNode {
  const [waiting, working, finished] = stageGroups
  const lists: readonly (readonly [string, SessionList])[] = [
    [waiting.name, useSessionList(stagesOf(waiting))],
    [working.name, useSessionList(stagesOf(working))],
    [finished.name, useSessionList(stagesOf(finished))],
  ]
  const unknown = lists.find(([, { sessions }]) => !sessions)
  if (unknown) return <Loading failure={unknown[1].failure} what="sessions" />
  if (lists.every(([, { sessions }]) => sessions?.length === 0))
    return (
      <div className="empty">
        <h2>No sessions yet</h2>
        <p>Give Codewright a task in one of your repositories.</p>
        <p>
          <a href="#/new" className="button">
            Start a session
          </a>
        </p>
      </div>
    )
  return lists.map(([name, list]) => <Group key={name} name={name} list={list} />)
}

function OneStage({ stage }: { readonly stage: SessionStage }): ReactNode {
  const list = useSessionList([stage])
  if (!list.sessions) return <Loading failure={list.failure} what="sessions" />
  if (list.sessions.length > 0) return <Group name={stageWords[stage].name} list={list} />
  return (
    <div className="empty">
      <h2>No sessions in this stage</h2>
      <p>Choose another stage.</p>
    </div>
  )
}

function Group({
  name,
  list: { sessions = [], loadMore },
}: {
  readonly name: string
  readonly list: SessionList
}): ReactNode {
  const now = useNow()
  if (sessions.length === 0) return null
  return (
    <section aria-label={name}>
      <h2>
        {name} <span className="dim">{loadMore ? `${sessions.length}+` : sessions.length}</span>
      </h2>
      <ul className="rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} now={now} />
        ))}
      </ul>
      {loadMore && (
        <button type="button" className="more" onClick={loadMore}>
          Load more
        </button>
      )}
    </section>
  )
}

function SessionRow({ session, now }: { readonly session: ShownSession; readonly now: number }): ReactNode {
  const { id, title, model, costUsd, updatedAt, worker, workspace } = session
  const facts = [
    placeName(workspace),
    model,
    ...(costUsd > 0 ? [costText(costUsd)] : []),
    ...(worker ? [`on ${worker.host}`] : []),
    ...(session.mayChange ? [] : [`by ${session.createdBy}`]),
  ]
  return (
    <li>
      <a href={toSession(id)} className="row-link" data-row>
        <span className="row-title">{forConsent(title)}</span>
        <StagePill session={session} />
        <span className="row-query dim">{forConsent(firstLine(aboutOf(session)))}</span>
        <span className="row-facts dim">
          {facts
            .filter((each) => each !== "")
            .map(forConsent)
            .join(" · ")}
        </span>
        <span className="row-age dim">{ago(updatedAt, now)}</span>
      </a>
    </li>
  )
}

/** What somebody wants to know of it: what waits, why it failed, or what it was asked, unless the title says so. */
function aboutOf({ pending, result, query, title }: ShownSession): string {
  if (pending[0]) return pending[0].title
  if (result && !result.ok) return result.text
  return query.trim() === title ? "" : query
}

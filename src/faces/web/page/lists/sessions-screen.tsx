/** All sessions, by what they wait for. */

import { type ReactNode, useEffect, useRef, useState } from "react"
import { type SessionStage, stages } from "#agent/words/stage.ts"
import { systemClock } from "#lib/clock.ts"
import { costText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"
import type { ShownSession } from "#faces/web/page/contract.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { useNow } from "#faces/web/page/polled.ts"
import { toSession } from "#faces/web/page/route.ts"
import { isFiltered, queryOf, type SessionFilter, toSessions } from "./session-filter.ts"
import { type SessionList, useFoundSessions, useSessionList } from "./session-list.ts"
import { StagePill } from "#faces/web/page/stage-pill.tsx"
import { ago, placeName, stageGroups, stageWords, waitingText } from "#faces/web/page/words.ts"

export function SessionsScreen({ filter }: { readonly filter: SessionFilter }): ReactNode {
  return (
    <div className="screen broad sessions">
      <div className="heading">
        <h1>Sessions</h1>
        <SearchField filter={filter} />
        <label>
          <span className="hidden">Stage</span>
          <select
            value={filter.stage ?? ""}
            onChange={({ target }) => {
              const { stage: _stage, ...rest } = filter
              const stage = stages.find((each) => each === target.value)
              location.hash = toSessions({ ...rest, ...(stage && { stage }) })
            }}
          >
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
      <Chosen filter={filter} />
      {isFiltered(filter) ? <Found key={queryOf(filter)} filter={filter} /> : <AllStages />}
    </div>
  )
}

const searchPauseMs = 250

/** The address follows what is typed, without a step back for every letter. */
function SearchField({ filter }: { readonly filter: SessionFilter }): ReactNode {
  const known = filter.search ?? ""
  const [text, setText] = useState(known)
  /** What the address says because of this field. */
  const own = useRef(known)
  useEffect(() => {
    if (known === own.current) return
    own.current = known
    setText(known)
  }, [known])
  useEffect(() => {
    const search = text.trim()
    if (search === own.current) return undefined
    const ending = new AbortController()
    void systemClock.sleep(searchPauseMs, ending.signal).then(() => {
      if (ending.signal.aborted) return
      own.current = search
      const { search: _search, ...rest } = filter
      history.replaceState(null, "", toSessions({ ...rest, ...(search !== "" && { search }) }))
      dispatchEvent(new HashChangeEvent("hashchange"))
    })
    return () => ending.abort()
  }, [text, filter])
  return (
    <input
      type="search"
      data-search
      aria-label="Search sessions"
      placeholder="Search sessions"
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

const filterWords: { readonly [name in keyof SessionFilter]: (value: string) => string } = {
  by: (name) => `by ${name}`,
  place: (place) => `in ${place}`,
  model: (model) => `with ${model}`,
}

/** What the list is limited to; each can be taken back. */
function Chosen({ filter }: { readonly filter: SessionFilter }): ReactNode {
  const chosen = (["by", "place", "model"] as const).flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [{ name, text: filterWords[name]?.(value) ?? value }]
  })
  if (chosen.length === 0) return null
  return (
    <p className="chips">
      {chosen.map(({ name, text }) => (
        <a
          key={name}
          className="chip"
          href={toSessions({ ...filter, [name]: undefined })}
          aria-label={`Remove the filter ${forConsent(text)}`}
        >
          {forConsent(text)} <span aria-hidden="true">×</span>
        </a>
      ))}
    </p>
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

function Found({ filter }: { readonly filter: SessionFilter }): ReactNode {
  const list = useFoundSessions(filter)
  if (!list.sessions) return <Loading failure={list.failure} what="sessions" />
  if (list.sessions.length > 0)
    return <Group name={filter.stage === undefined ? "Found" : stageWords[filter.stage].name} list={list} />
  return (
    <div className="empty">
      <h2>No sessions found</h2>
      <p>
        Look for other words, or see <a href="#/sessions">all sessions</a>.
      </p>
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
  const facts = [...(costUsd > 0 ? [costText(costUsd)] : []), ...(worker ? [`on ${worker.host}`] : [])]
  const links: readonly (readonly [text: string, filter: SessionFilter])[] = [
    [placeName(workspace), { place: "path" in workspace ? workspace.path : workspace.git.url }],
    [model, { model }],
    [session.createdBy, { by: session.createdBy }],
  ]
  return (
    <li>
      <a href={toSession(id)} className="row-link" data-row>
        <span className="row-title">{forConsent(title)}</span>
        <StagePill session={session} />
        <span className="row-query dim">{forConsent(firstLine(aboutOf(session)))}</span>
        <span className="row-facts dim">{facts.map(forConsent).join(" · ")}</span>
        <span className="row-age dim">{ago(updatedAt, now)}</span>
      </a>
      <p className="row-filters dim">
        {links
          .filter(([text]) => text !== "")
          .map(([text, filter]) => (
            <a key={text} href={toSessions(filter)} className={"by" in filter ? "by" : undefined}>
              {forConsent(text)}
            </a>
          ))}
      </p>
    </li>
  )
}

/** What somebody wants to know of it: what waits, why it failed, or what it was asked beyond what the title says. */
function aboutOf({ pending, result, query, title }: ShownSession): string {
  if (pending[0]) return waitingText(pending[0])
  if (result && !result.ok) return result.text
  const asked = query.trim()
  const named = title.replace(/…$/, "").trimEnd()
  return asked.startsWith(named) ? asked.slice(named.length).replace(/^[\s.:]+/, "") : asked
}

/** One session, live: the conversation, what waits for a decision, and what is known beside it. */

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react"
import { isOver } from "#agent/words/stage.ts"
import { forConsent } from "#lib/printable.ts"
import { PendingApprovals } from "./pending-approvals.tsx"
import { at } from "./api.ts"
import { Composer } from "./composer.tsx"
import type { ShownSession, SignedIn } from "./contract.ts"
import { Conversation } from "./conversation.tsx"
import { type Connection, type LiveSession, useFollowed } from "./follow.ts"
import { legibleText } from "./legible.ts"
import { Loading } from "./loading.tsx"
import { usePolled } from "./polled.ts"
import { SessionHead } from "./session-head.tsx"
import { SessionNotes } from "./session-notes.tsx"
import { SessionRail } from "./session-rail.tsx"
import { useSettlements } from "./settled.ts"
import { readOnlyReason } from "./words.ts"

interface SessionScreenProps {
  readonly id: string
  readonly me: SignedIn | undefined
  /** Something was decided here. */
  readonly onChange: () => void
  /** What the tab is called. */
  readonly onName: (name: string) => void
}

export function SessionScreen({ id, me, onChange, onName }: SessionScreenProps): ReactNode {
  const followed = useFollowed(id)
  const record = usePolled<ShownSession>(`/api/sessions/${at(id)}`, { everyMs: 10_000, on: ["sessions"] })
  const [isDetailed, setDetailed] = useState(false)
  // The stream says that something changed; the record says what stands.
  useEffect(() => {
    if (followed.changes > 0) record.refresh()
  }, [followed.changes, record.refresh])
  const session = record.value
  const name = session ? forConsent(session.title) : ""
  useEffect(() => onName(name), [name, onName])
  if (!session) {
    const isMissing = record.failure?.kind === "refused" && record.failure.status === 404
    return isMissing ? <Missing /> : <Loading failure={record.failure} what="the session" />
  }
  const readOnly = readOnlyReason(session, me)
  const changed = (): void => {
    record.refresh()
    onChange()
  }
  return (
    <div className={`session ${isDetailed ? "detailed" : ""} ${session.pending.length > 0 ? "waits" : ""}`}>
      <SessionHead session={session} spentUsd={followed.facts.costUsd} onChange={changed} />
      <Lost connection={followed.connection} />
      <div className="tabs" role="group" aria-label="What to show">
        <button type="button" aria-pressed={!isDetailed} onClick={() => setDetailed(false)}>
          Conversation
        </button>
        <button type="button" aria-pressed={isDetailed} onClick={() => setDetailed(true)}>
          Details
        </button>
      </div>
      <Talk session={session} followed={followed} me={me} readOnly={readOnly} onChange={changed} />
      <SessionRail session={session} followed={followed} me={me} onChange={changed} />
    </div>
  )
}

function Missing(): ReactNode {
  return (
    <div className="empty">
      <h1>No such session</h1>
      <p>
        It may have been removed, or the address is wrong. See all <a href="#/sessions">sessions</a>.
      </p>
    </div>
  )
}

const lostWords: { readonly [connection in Connection]: string } = {
  connecting: "",
  waiting:
    "Four other windows follow sessions, and a browser allows no more. Close or cover one of them to follow this one.",
  live: "",
  lost: "Connection lost. Reconnecting; nothing will be missed.",
  signed_out: "You are signed out. Reload the page to sign in.",
  missing: "This session is gone.",
}

const Lost = ({ connection }: { readonly connection: Connection }): ReactNode => (
  <p role="status" className={lostWords[connection] === "" ? "hidden" : "banner"} data-connection={connection}>
    {lostWords[connection]}
  </p>
)

interface TalkProps {
  readonly session: ShownSession
  readonly followed: LiveSession
  readonly me: SignedIn | undefined
  readonly readOnly: string | undefined
  readonly onChange: () => void
}

function Talk({ session, followed, me, readOnly, onChange }: TalkProps): ReactNode {
  const settlements = useSettlements(session.pending)
  const pending = settlements.placed.filter(({ open }) => open !== undefined)
  const talk = useRef<HTMLElement>(null)
  useAskedCard(talk, pending.length)
  useFollowingScroll(talk, followed, pending.length)
  const { result, stage } = session
  return (
    <section className="talk" aria-label="Conversation" ref={talk}>
      <Conversation followed={followed} session={session} />
      <PendingApprovals
        placed={settlements.placed}
        questions={followed.facts.questions}
        me={me}
        readOnly={readOnly}
        onSettled={(settlement) => {
          settlements.add(settlement)
          onChange()
        }}
        onDismiss={settlements.dismiss}
      />
      {isOver(stage) && result && !result.ok && <p className="note failed whole">{legibleText(result.text)}</p>}
      <SessionNotes session={session} />
      <Composer session={session} readOnly={readOnly} queue={followed.view.queue} onChange={onChange} />
    </section>
  )
}

/** Whoever comes from a notification sees what it is about first. */
function useAskedCard(talk: { readonly current: HTMLElement | null }, cards: number): void {
  const found = useRef("")
  useEffect(() => {
    const asked = new URLSearchParams(location.hash.split("?")[1] ?? "").get("approval") ?? ""
    if (asked === "" || asked === found.current) return
    const card = talk.current?.querySelector<HTMLElement>(`[data-approval="${CSS.escape(asked)}"]`)
    if (!card) return
    found.current = asked
    card.focus({ preventScroll: true })
    card.scrollIntoView({ block: "nearest" })
  }, [talk, cards])
}

/** Stays at the end while new things come, unless the user looks at something further up. */
function useFollowingScroll(
  talk: { readonly current: HTMLElement | null },
  followed: LiveSession,
  cards: number,
): void {
  const isFollowing = useRef(true)
  /** Where it was scrolled to from here. */
  const place = useRef(scrollY)
  useEffect(() => {
    const ending = new AbortController()
    const updateFollowing = (): void => {
      // Browsers tell of our own scrolling too, and late: the page may have grown since.
      if (Math.abs(scrollY - place.current) < 1) return
      place.current = Number.NaN
      isFollowing.current = innerHeight + scrollY > document.documentElement.scrollHeight - 160
    }
    addEventListener("scroll", updateFollowing, { signal: ending.signal, passive: true })
    return () => ending.abort()
  }, [])
  // Before the browser draws, so that nobody sees it jump.
  useLayoutEffect(() => {
    if (!isFollowing.current) return
    // What waits is read from its beginning.
    const card = talk.current?.querySelector("[data-approval]")
    const isLong = card && card.getBoundingClientRect().height > innerHeight * 0.75
    if (isLong) card.scrollIntoView({ block: "start" })
    else talk.current?.scrollIntoView({ block: "end" })
    place.current = scrollY
  }, [talk, followed.settled, followed.view.items.length, followed.speaking.text, cards])
}

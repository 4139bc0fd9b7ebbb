/** What was said and done, and what is being said now. */

import { type ReactNode, useState } from "react"
import { isOver } from "#agent/words/stage.ts"
import type { View } from "#faces/view/view.ts"
import type { ShownSession } from "./contract.ts"
import { retryWords } from "#faces/view/retry-words.ts"
import type { Connection, LiveSession } from "./follow.ts"
import { Items } from "./items.tsx"
import { legibleText } from "./legible.ts"
import { LongText } from "./long-text.tsx"
import { Markdown } from "./markdown.tsx"

function emptyWords({ worker, stage, stuck }: ShownSession, connection: Connection): string {
  if (connection === "connecting") return "Loading the conversation…"
  if (connection === "waiting" || isOver(stage) || stuck !== undefined) return ""
  return worker ? "Starting" : "Nothing has happened yet. A worker takes the session when one is free."
}

/** Blocks of items; earlier ones are shown when they are asked for. */
const firstShown = 3

export function Conversation({
  followed: { settled, view, speaking, connection, isPartial },
  session,
}: {
  readonly followed: LiveSession
  readonly session: ShownSession
}): ReactNode {
  const [shown, setShown] = useState(firstShown)
  const from = Math.max(0, settled.length - shown)
  const isEmpty = settled.length === 0 && view.items.length === 0
  const words = emptyWords(session, connection)
  return (
    <div className="conversation">
      {isPartial && <p className="dim">Loading what came before…</p>}
      {from > 0 && !isPartial && (
        <button type="button" className="more" onClick={() => setShown(shown + 4 * firstShown)}>
          Show earlier
        </button>
      )}
      {isEmpty && (
        <>
          <div className="item prompt">
            <LongText text={session.query} />
          </div>
          {words !== "" && <p className="dim">{words}</p>}
        </>
      )}
      {settled.slice(from).map((items, i) => (
        <Items key={from + i} items={items} />
      ))}
      <Items items={view.items} />
      {speaking.thinking !== "" && <p className="item thinking live">{legibleText(speaking.thinking.slice(-600))}</p>}
      {speaking.text !== "" && (
        <div className="item said live">
          <Markdown text={speaking.text} />
        </div>
      )}
      {session.worker && <Busy view={view} />}
    </div>
  )
}

function Busy({ view: { working, hookStatus, chore } }: { readonly view: View }): ReactNode {
  if (!working && chore === undefined) return null
  const doing = working?.retry
    ? retryWords(working.retry)
    : (hookStatus.at(-1) ?? (chore ? `Running: ${chore}` : "Working"))
  return (
    <p className="busy" role="status">
      <span className="dot" aria-hidden="true" /> {legibleText(doing)}
    </p>
  )
}

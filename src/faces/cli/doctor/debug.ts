/** `--debug`: what happens inside, as a readable file. */

import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Event } from "#agent/words/event.ts"
import { maskedJson } from "#lib/mask-secrets.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"

/** Returns the path. `filter` names kinds of events, separated by commas. */
export function followInto(path: string, session: Session, filter: string): Result<string, string> {
  const kinds = filter.split(",").filter((kind) => kind !== "")
  const append = (text: string): void => appendFileSync(path, text, { mode: 0o600 })
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    append("")
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
  // A log that fails later (a full disk) must not take the session with it.
  void follow(session, kinds, append).catch(() => {})
  return ok(path)
}

async function follow(session: Session, kinds: readonly string[], append: (text: string) => void): Promise<void> {
  const { recent } = await session.ask({ type: "about" })
  for await (const event of session.events(recent)) {
    const kind = event.type === "entry" ? event.entry.kind : event.type
    if (wanted(event, kind, kinds))
      append(`${event.cursor} ${kind} ${maskedJson(event.type === "entry" ? event.entry : inWhole(event))}\n`)
  }
}

/** Deltas would drown everything else, and the finished blocks contain the same text. */
const wanted = (event: Event, kind: string, kinds: readonly string[]): boolean =>
  innermost(event).type !== "model_delta" && (kinds.length === 0 || kinds.includes(kind))

const innermost = (event: Event): Event => (event.type === "child" ? innermost(event.event) : event)

/** Drops output that comes in pieces: a key could be cut in two, and the result has all of it. */
function inWhole(event: Event): Event {
  if (event.type === "child") return { ...event, event: inWhole(event.event) }
  if (event.type !== "tool_progress") return event
  const { output } = event.progress
  return { ...event, progress: { ...event.progress, output: `(${output.length} characters)` } }
}

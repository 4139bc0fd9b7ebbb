/** `--debug`: what happens inside, line by line, in a file or on standard error. */

import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Event } from "#agent/words/event.ts"
import type { OwnNetwork } from "#ground/network/network.ts"
import { maskedJson } from "#lib/mask-secrets.ts"
import { forReading } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import { type DebugFilter, innermost } from "./debug-filter.ts"

/** Where the lines go. */
export type DebugPlace = { readonly file: string } | { readonly write: (text: string) => void }

export interface DebugParts {
  readonly place: DebugPlace
  readonly session: Session
  readonly network: Pick<OwnNetwork, "watch">
  readonly filter: DebugFilter
}

export function followInto({ place, session, network, filter }: DebugParts): Result<void, string> {
  const append =
    "write" in place
      ? (text: string): void => place.write(forReading(text))
      : (text: string): void => appendFileSync(place.file, text, { mode: 0o600 })
  try {
    if ("file" in place) mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 })
    append("")
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
  if (filter.http)
    network.watch((exchange) => {
      try {
        append(`- http ${maskedJson(exchange)}\n`)
      } catch {
        // A log that fails later (a full disk) must not take the session with it.
      }
    })
  void follow(session, filter, append).catch(() => {})
  return ok(undefined)
}

async function follow(session: Session, filter: DebugFilter, append: (text: string) => void): Promise<void> {
  const { recent } = await session.ask({ type: "about" })
  for await (const event of session.events(recent)) {
    // Deltas would drown everything else, and the finished blocks contain the same text.
    if (innermost(event).type === "model_delta" || !filter.wants(event)) continue
    const kind = event.type === "entry" ? event.entry.kind : event.type
    append(`${event.cursor} ${kind} ${maskedJson(event.type === "entry" ? event.entry : inWhole(event))}\n`)
  }
}

/** Drops output that comes in pieces: a key could be cut in two, and the result has all of it. */
function inWhole(event: Event): Event {
  if (event.type === "child") return { ...event, event: inWhole(event.event) }
  if (event.type !== "tool_progress") return event
  const { output } = event.progress
  return { ...event, progress: { ...event.progress, output: `(${output.length} characters)` } }
}

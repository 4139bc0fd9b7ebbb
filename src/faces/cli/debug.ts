/** `--debug`: what happens inside, as a readable file. */

import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "#agent/words/event.ts"
import type { Session } from "#session/session.ts"

/** Follows a session into a file and gives its path. `filter` names kinds of events, separated by commas. */
export function followInto(folder: string, session: Session, filter: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${session.id}.log`)
  const kinds = filter.split(",").filter((kind) => kind !== "")
  void follow(session, (event) => {
    const kind = event.type === "entry" ? event.entry.kind : event.type
    if (kinds.length > 0 && !kinds.includes(kind)) return
    appendFileSync(path, `${event.seq} ${kind} ${JSON.stringify(event.type === "entry" ? event.entry : event)}\n`, {
      mode: 0o600,
    })
  })
  return path
}

async function follow(session: Session, take: (event: Event) => void): Promise<void> {
  for await (const event of session.events(0)) {
    // Deltas would drown everything else, and the finished blocks say the same.
    if (event.type !== "model_delta") take(event)
  }
}

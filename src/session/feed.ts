/** Every event goes once through the feed, numbered. Faces subscribe after a number; a slow one never stalls the agent. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event, Moment } from "#agent/words/event.ts"
import { type Channel, channel } from "#lib/channel.ts"

export interface Feed {
  readonly publishEntry: (entry: Entry) => void
  readonly publish: (moment: Moment) => void
  /** Entries after the number, then everything as it comes. Moments that passed are gone. */
  readonly after: (seq: number) => AsyncIterable<Event>
  /** All entries that went through it. */
  readonly entries: () => readonly Entry[]
  /** The number of the last event. */
  readonly seq: () => number
  readonly close: () => void
}

export function openFeed(): Feed {
  const kept: Event[] = []
  const watchers = new Set<Channel<Event>>()
  let seq = 0
  let closed = false

  const send = (event: Event): void => {
    for (const watcher of watchers) watcher.push(event)
  }

  return {
    seq: () => seq,
    entries: () => kept.flatMap((event) => (event.type === "entry" ? [event.entry] : [])),
    publishEntry(entry) {
      const event: Event = { seq: ++seq, type: "entry", entry }
      kept.push({ ...event, entry: slim(entry) })
      send(event)
    },
    publish(moment) {
      seq++
      if (watchers.size > 0) send({ seq, ...moment })
    },
    after(from) {
      const own = channel<Event>()
      for (const event of kept) if (event.seq > from) own.push(event)
      if (closed) own.close()
      else watchers.add(own)
      return {
        async *[Symbol.asyncIterator]() {
          try {
            yield* own
          } finally {
            watchers.delete(own)
          }
        },
      }
    },
    close() {
      closed = true
      for (const watcher of watchers) watcher.close()
      watchers.clear()
    },
  }
}

/** For those who come later: without the fields for programs, which hold whole files and are in the log. */
function slim(entry: Entry): Entry {
  if (entry.kind !== "result" || entry.data === undefined) return entry
  const { data: _inTheLog, ...rest } = entry
  return rest
}

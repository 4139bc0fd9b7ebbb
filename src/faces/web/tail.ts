/** The newest events of a session, read and written out once for everybody who follows it. */

import type { FleetEvent } from "#fleet/records.ts"

/** So many are kept for those who are nearly up to date, unless they are large. */
const mostKept = 400
const mostKeptBytes = 1_000_000
/** Of somebody who does not read, no more than this waits in memory, or one event if that is larger. */
const mostInPiece = 200_000

export type Wake = "news" | "silence" | "end"

export interface Piece {
  readonly bytes: Uint8Array
  /** The number of the last event in it. */
  readonly at: number
}

export interface WrittenEvent {
  readonly seq: number
  readonly bytes: Uint8Array
}

export interface Tail {
  /** Reads what is new. */
  readonly read: () => Promise<void>
  /** What follows this event; `records`: it is not kept here, and the records must be read. */
  readonly after: (at: number) => Piece | "records" | undefined
  readonly wait: (wake: (why: Wake) => void) => void
  readonly wake: (why: Wake) => void
}

/** `events` gives a page of them. */
export function openTail(events: (after: number) => Promise<readonly FleetEvent[]>): Tail {
  const waiting = new Set<(why: Wake) => void>()
  const kept: WrittenEvent[] = []
  let keptBytes = 0
  // Everything after `from` up to `head` is kept; nothing is known before somebody is up to date.
  let from = 0
  let head: number | undefined
  let isReading = false
  let isStale = false
  // Most who follow are equally far, and get the very same bytes.
  let last: { readonly after: number; readonly piece: Piece | undefined } | undefined

  function wakeAll(why: Wake): void {
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake(why)
  }

  function keep(event: WrittenEvent): void {
    kept.push(event)
    keptBytes += event.bytes.byteLength
    while (kept.length > mostKept || (kept.length > 1 && keptBytes > mostKeptBytes)) {
      const oldest = kept.shift()
      from = oldest?.seq ?? from
      keptBytes -= oldest?.bytes.byteLength ?? 0
    }
  }

  async function read(): Promise<void> {
    isStale = true
    if (isReading || head === undefined) return
    isReading = true
    try {
      while (isStale) {
        isStale = false
        const found = await events(head)
        if (found.length === 0) continue
        isStale = true
        head = found.at(-1)?.seq ?? head
        for (const event of found) keep(writtenOut(event))
        last = undefined
        wakeAll("news")
      }
    } catch {
      // The database is away; the next beat reads again.
    } finally {
      isReading = false
    }
  }

  return {
    wake: wakeAll,
    read,
    wait: (wake) => void waiting.add(wake),
    after(at) {
      if (head === undefined) {
        ;[from, head] = [at, at]
        // Something may have come since the caller read the records.
        void read()
      }
      if (at < from) return "records"
      if (last?.after !== at)
        last = { after: at, piece: pieceOf(kept.slice(kept.findLastIndex(({ seq }) => seq <= at) + 1)) }
      return last.piece
    },
  }
}

/** As many of the first ones as are sent at once. */
export function pieceOf(events: readonly WrittenEvent[]): Piece | undefined {
  let bytes = 0
  const cut = events.findIndex((event) => (bytes += event.bytes.byteLength) > mostInPiece)
  const some = cut < 0 ? events : events.slice(0, Math.max(cut, 1))
  const newest = some.at(-1)
  return newest && { bytes: Buffer.concat(some.map((event) => event.bytes)), at: newest.seq }
}

export const writtenOut = ({ seq, type, data }: FleetEvent): WrittenEvent => ({
  seq,
  bytes: new TextEncoder().encode(`id: ${seq}\nevent: ${type}\n${dataLines(data)}\n\n`),
})

/** Each line of its own, so that nothing in the text can end the event early. */
const dataLines = (data: string): string =>
  data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join("\n")

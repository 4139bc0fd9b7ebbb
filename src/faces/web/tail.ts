/** The newest events of a session, read and written out once for everybody who follows it. */

import type { FleetEvent } from "#fleet/records.ts"

/** So many are kept for those who are nearly up to date. */
const mostKept = 400

export type Wake = "news" | "silence" | "end"

export interface Piece {
  readonly bytes: Uint8Array
  /** The number of the last event in it. */
  readonly at: number
}

export interface Tail {
  /** Reads what is new. */
  readonly read: () => Promise<void>
  /** What follows this event; `records`: it is not kept here, and the records must be read. */
  readonly after: (at: number) => Piece | "records" | undefined
  readonly wait: (wake: (why: Wake) => void) => void
  readonly tell: (why: Wake) => void
}

/** `events` gives a page of them. */
export function openTail(events: (after: number) => Promise<readonly FleetEvent[]>): Tail {
  const waiting = new Set<(why: Wake) => void>()
  const kept: { readonly seq: number; readonly bytes: Uint8Array }[] = []
  // Everything after `from` up to `head` is kept; nothing is known before somebody is up to date.
  let from = 0
  let head: number | undefined
  let isReading = false
  let isStale = false

  function tell(why: Wake): void {
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake(why)
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
        for (const event of found) kept.push({ seq: event.seq, bytes: writtenOut(event) })
        from = kept.at(-mostKept - 1)?.seq ?? from
        kept.splice(0, kept.length - mostKept)
        tell("news")
      }
    } catch {
      // The database is away; the next beat reads again.
    } finally {
      isReading = false
    }
  }

  return {
    tell,
    read,
    wait: (wake) => void waiting.add(wake),
    after(at) {
      if (head === undefined) {
        ;[from, head] = [at, at]
        // Something may have come since the caller read the records.
        void read()
      }
      if (at < from) return "records"
      const fresh = kept.slice(kept.findLastIndex(({ seq }) => seq <= at) + 1)
      const last = fresh.at(-1)
      return last && { bytes: Buffer.concat(fresh.map(({ bytes }) => bytes)), at: last.seq }
    },
  }
}

export const writtenOut = ({ seq, type, data }: FleetEvent): Uint8Array =>
  new TextEncoder().encode(`id: ${seq}\nevent: ${type}\n${dataLines(data)}\n\n`)

/** Each line of its own, so that nothing in the text can end the event early. */
const dataLines = (data: string): string =>
  data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join("\n")

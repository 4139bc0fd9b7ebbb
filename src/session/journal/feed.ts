/**
 * Every event goes once through the feed, with its place in the log. Faces subscribe after a place; a slow one never
 * stalls the agent. What is past comes from the log, so places hold in every process that opens it.
 */

import { isSameBudget } from "#agent/words/budget.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Cursor, Event, Moment } from "#agent/words/event.ts"
import type { SessionState } from "#agent/words/state.ts"
import { isSameThinking } from "#agent/words/thinking.ts"
import { type Channel, channel } from "#lib/channel.ts"
import { beforeEntry, beginning, entryOf, isBefore, momentAfter } from "./cursor.ts"

export interface Feed {
  readonly publishEntry: (entry: Entry) => void
  readonly publish: (moment: Moment) => void
  /** Entries after the place, then everything as it comes. Moments that passed are gone. */
  readonly after: (place: Cursor | "beginning" | "now") => AsyncIterable<Event>
  /** All entries that went through it. */
  readonly entries: () => readonly Entry[]
  /** The place of the last entry. */
  readonly last: () => Cursor | "beginning"
  /** The place before the first entry that is at hand: what is older has to be read from the log. */
  readonly recent: () => Cursor | "beginning"
  readonly close: () => void
}

export interface FeedParts {
  /**
   * Entries of the log after one of them, or all of them, in its order; none after one that it does not have. Absent when
   * the whole log goes through the feed.
   */
  readonly older?: (uuid: string | null) => AsyncIterable<readonly Entry[]>
  /** Watchers are told whenever an entry has changed it. */
  readonly state?: () => SessionState
}

export function openFeed({ older, state }: FeedParts = {}): Feed {
  const kept: Entry[] = []
  const placeOf = new Map<string, number>()
  const watchers = new Set<Channel<Event>>()
  let moments = 0
  let told: SessionState | undefined
  let closed = false

  const last = (): Cursor | "beginning" => kept.at(-1)?.uuid ?? beginning
  const send = (event: Event): void => {
    for (const watcher of watchers) watcher.push(event)
  }
  const publish = (moment: Moment): void => {
    moments++
    if (watchers.size > 0) send({ cursor: momentAfter(last(), moments), ...moment })
  }
  const tellState = (): void => {
    if (!state || watchers.size === 0) return
    const now = state()
    if (told && isSameState(now, told)) return
    told = now
    publish({ type: "state_change", state: now })
  }

  /** From the log, up to the first entry that went through here; whether the log had anything there. */
  async function* earlier(after: string | null): AsyncGenerator<Event, boolean> {
    let hasAny = false
    for await (const piece of older?.(after) ?? [])
      for (const entry of piece) {
        if (placeOf.has(entry.uuid)) return true
        hasAny = true
        yield asEvent(entry)
      }
    return hasAny
  }

  /** The same from an entry on. */
  async function* earlierFrom(uuid: string): AsyncGenerator<Event, boolean> {
    let isFound = false
    for await (const event of earlier(null)) {
      isFound ||= event.cursor === uuid
      if (isFound) yield event
    }
    return isFound
  }

  /** What comes before all that went through here, for whoever was at a place that is not among it. */
  async function* before(place: Cursor | "beginning"): AsyncGenerator<Event> {
    const uuid = entryOf(place)
    if (uuid !== beginning) {
      // What is older than all that went through here has something after it.
      const isKnown = isBefore(place) ? yield* earlierFrom(uuid) : yield* earlier(uuid)
      if (isKnown) return
      yield { cursor: beginning, type: "unknown_cursor", unknown: place }
    }
    yield* earlier(null)
  }

  return {
    last,
    publish,
    entries: () => kept.slice(),
    recent() {
      const [first] = kept
      return older && first ? beforeEntry(first.uuid) : beginning
    },
    publishEntry(entry) {
      moments = 0
      placeOf.set(entry.uuid, kept.length)
      kept.push(slim(entry))
      send({ cursor: entry.uuid, type: "entry", entry })
      tellState()
    },
    after(place) {
      const own = channel<Event>()
      const here = placeOf.get(entryOf(place))
      const from = place === "now" ? kept.length : here === undefined ? 0 : isBefore(place) ? here : here + 1
      for (const entry of kept.slice(from)) own.push(asEvent(entry))
      if (closed) own.close()
      else watchers.add(own)
      return {
        async *[Symbol.asyncIterator]() {
          try {
            if (place !== "now" && here === undefined) yield* before(place)
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

/** An entry that is past. */
const asEvent = (entry: Entry): Event => ({ cursor: entry.uuid, type: "entry", entry: slim(entry) })

/** For those who come later: without the fields for programs, which hold whole files and are in the log. */
function slim(entry: Entry): Entry {
  if (entry.kind !== "result" || entry.data === undefined) return entry
  const { data: _inTheLog, ...rest } = entry
  return rest
}

const isSameState = (a: SessionState, b: SessionState): boolean =>
  a === b ||
  (a.mode === b.mode &&
    a.model === b.model &&
    isSameThinking(a.thinking, b.thinking) &&
    a.cwd === b.cwd &&
    isSameBudget(a.budget, b.budget) &&
    a.agents === b.agents &&
    a.costUsd === b.costUsd &&
    a.spending === b.spending &&
    a.contextTokens === b.contextTokens &&
    a.turns === b.turns &&
    a.lastEnd === b.lastEnd)

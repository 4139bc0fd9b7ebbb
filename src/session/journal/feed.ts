/**
 * Publishes every event once, with its place in the log. A slow subscriber never stalls the agent. The past is read from the log, so cursors are valid
 * in every process.
 */

import { isSameBudget } from "#agent/words/budget.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Cursor, Event, HookRun, Moment } from "#agent/words/event.ts"
import type { SessionState } from "#agent/words/state.ts"
import { isSameThinking } from "#agent/words/thinking.ts"
import { type Channel, channel } from "#lib/channel.ts"
import { oneAfterOther } from "#lib/one-after-other.ts"
import { beforeEntry, beginning, entryOf, isBefore, momentAfter } from "./cursor.ts"

export interface Feed {
  readonly publishEntry: (entry: Entry) => void
  readonly publish: (moment: Moment) => void
  /**
   * Entries after the place, then everything as it happens. Past moments are not repeated, except those of start hooks
   * before the turn that they are for.
   */
  readonly after: (place: Cursor | "beginning" | "now") => AsyncIterable<Event>
  readonly entries: () => readonly Entry[]
  readonly last: () => Cursor | "beginning"
  /** The place before the first entry in memory; older ones have to be read from the log. */
  readonly recent: () => Cursor | "beginning"
  readonly close: () => void
}

export interface FeedParts {
  /** Entries of the log after the given one, or all, in order; none after an unknown one. Absent when the whole log goes through the feed. */
  readonly older?: (uuid: string | null) => AsyncIterable<readonly Entry[]>
  /** Watchers are told whenever an entry has changed it. */
  readonly state?: () => SessionState
}

export function openFeed({ older, state }: FeedParts = {}): Feed {
  const kept: Entry[] = []
  const placeOf = new Map<string, number>()
  const watchers = new Set<Channel<Event>>()
  /** What hooks did at the start: they run before anybody can listen. */
  let starting: Event[] = []
  let last: Cursor | "beginning" = beginning
  /** Since that place. */
  let moments = 0
  let told: SessionState | undefined
  let closed = false

  const send = (event: Event): void => {
    for (const watcher of watchers) watcher.push(event)
  }
  const publish = (moment: Moment): void => {
    moments++
    const event = { cursor: momentAfter(last, moments), ...moment }
    if ("run" in moment && isStart(moment.run)) starting.push(event)
    send(event)
  }
  const tellState = (): void => {
    if (!state || watchers.size === 0) return
    const now = state()
    if (told && isSameState(now, told)) return
    told = now
    publish({ type: "state_change", state: now })
  }

  /** Log entries up to the first one in memory; returns whether there were any. */
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

  async function* earlierFrom(uuid: string): AsyncGenerator<Event, boolean> {
    let isFound = false
    for await (const event of earlier(null)) {
      isFound ||= event.cursor === uuid
      if (isFound) yield event
    }
    return isFound
  }

  /** Everything before the first entry in memory, for a subscriber whose place is not among them. */
  async function* before(place: Cursor | "beginning"): AsyncGenerator<Event> {
    const uuid = entryOf(place)
    if (uuid !== beginning) {
      // An entry older than everything in memory always has something after it.
      const isKnown = isBefore(place) ? yield* earlierFrom(uuid) : yield* earlier(uuid)
      if (isKnown) return
      yield { cursor: beginning, type: "unknown_cursor", unknown: place }
    }
    yield* earlier(null)
  }

  return {
    last: () => last,
    publish,
    entries: () => kept.slice(),
    recent() {
      const [first] = kept
      return older && first ? beforeEntry(first.uuid) : beginning
    },
    publishEntry(entry) {
      last = entry.uuid
      moments = 0
      if (entry.kind === "turn_start") starting = []
      placeOf.set(entry.uuid, kept.length)
      kept.push(slim(entry))
      send({ cursor: entry.uuid, type: "entry", entry })
      if (!stateless.includes(entry.kind)) tellState()
    },
    after(place) {
      // The next request does not wait until watchers have seen what led to it.
      const own: Channel<Event> = channel({ wakes: "when_idle", left: () => void watchers.delete(own) })
      for (const event of starting) own.push(event)
      const here = placeOf.get(entryOf(place))
      const from = place === "now" ? kept.length : here === undefined ? 0 : isBefore(place) ? here : here + 1
      for (const entry of kept.slice(from)) own.push(asEvent(entry))
      if (closed) own.close()
      else watchers.add(own)
      const isAllHere = place === "now" || here !== undefined || (place === beginning && !older)
      return isAllHere ? own : oneAfterOther(before(place), own)
    },
    close() {
      closed = true
      for (const watcher of watchers) watcher.close()
      watchers.clear()
    },
  }
}

/** Many, and none of them changes the state. What changes it without an entry is told with the next request. */
const stateless: readonly Entry["kind"][] = ["reply", "decision", "result"]

const isStart = ({ event }: HookRun): boolean => startEvents.includes(event)

const startEvents: readonly string[] = ["Setup", "SessionStart", "SubagentStart"]

const asEvent = (entry: Entry): Event => ({ cursor: entry.uuid, type: "entry", entry: slim(entry) })

/** Drops the fields for programs, which contain whole files and are in the log anyway. */
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

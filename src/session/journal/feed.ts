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
  /** Entries of the log after the given one, or all, in order; none after an unknown one. Absent where no log is kept. */
  readonly older?: (uuid: string | null) => AsyncIterable<readonly Entry[]>
  /** Whether all of the log goes through the feed; `from_some_entry` when absent. */
  readonly begins?: "from_the_start" | "from_some_entry"
  /** Watchers are told whenever an entry has changed it. */
  readonly state?: () => SessionState
}

export function openFeed({ older, begins, state }: FeedParts = {}): Feed {
  const recent = openRecent(older === undefined ? "everything" : (begins ?? "from_some_entry"))
  const watchers = new Set<Channel<Event>>()
  /** What hooks did at the start: they run before anybody can listen. */
  let starting: Event[] = []
  let last: Cursor | "beginning" = beginning
  /** Since that place. */
  let moments = 0
  let publishedState: SessionState | undefined
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
    if (publishedState && isSameState(now, publishedState)) return
    publishedState = now
    publish({ type: "state_change", state: now })
  }

  /** Log entries up to the first one that is in memory when somebody begins to listen; returns whether there were any. */
  async function* earlier(after: string | null, first: string | undefined): AsyncGenerator<Event, boolean> {
    let hasAny = false
    for await (const piece of older?.(after) ?? [])
      for (const entry of piece) {
        if (first === undefined ? recent.placeOf(entry.uuid) !== undefined : entry.uuid === first) return true
        hasAny = true
        yield asEvent(entry)
      }
    return hasAny
  }

  async function* earlierFrom(uuid: string, first: string | undefined): AsyncGenerator<Event, boolean> {
    let isFound = false
    for await (const event of earlier(null, first)) {
      isFound ||= event.cursor === uuid
      if (isFound) yield event
    }
    return isFound
  }

  /** Everything before the first entry in memory, for a subscriber whose place is not among them. */
  async function* before(place: Cursor | "beginning", first: string | undefined): AsyncGenerator<Event> {
    const uuid = entryOf(place)
    if (uuid !== beginning) {
      // An entry older than everything in memory always has something after it.
      const isKnown = isBefore(place) ? yield* earlierFrom(uuid, first) : yield* earlier(uuid, first)
      if (isKnown) return
      yield { cursor: beginning, type: "unknown_cursor", unknown: place }
    }
    yield* earlier(null, first)
  }

  return {
    last: () => last,
    publish,
    entries: () => recent.from(0),
    recent() {
      const first = recent.first()
      return recent.hasOlder() && first !== undefined ? beforeEntry(first) : beginning
    },
    publishEntry(entry) {
      last = entry.uuid
      moments = 0
      if (entry.kind === "turn_start") starting = []
      recent.add(slim(entry))
      send({ cursor: entry.uuid, type: "entry", entry })
      if (!stateless.includes(entry.kind)) tellState()
    },
    after(place) {
      // The next request does not wait until watchers have seen what led to it.
      const own: Channel<Event> = channel({ wakes: "when_idle", left: () => void watchers.delete(own) })
      for (const event of starting) own.push(event)
      const here = recent.placeOf(entryOf(place))
      const from = place === "now" ? Infinity : here === undefined ? 0 : isBefore(place) ? here : here + 1
      for (const entry of recent.from(from)) own.push(asEvent(entry))
      if (closed) own.close()
      else watchers.add(own)
      const isAllHere = place === "now" || here !== undefined || (place === beginning && !recent.hasOlder())
      return isAllHere ? own : oneAfterOther(before(place, recent.first()), own)
    },
    close() {
      closed = true
      for (const watcher of watchers) watcher.close()
      watchers.clear()
    },
  }
}

/** Below this nothing is forgotten; a turn with more than the second is not kept whole. */
const fewEntries = 200
const mostOfTurn = 4_000

/**
 * The entries in memory. A conversation goes on from its compaction, so what was before the turn that it is in is
 * forgotten where it can be read from the log.
 */
function openRecent(begins: "everything" | NonNullable<FeedParts["begins"]>) {
  let kept: Entry[] = []
  /** Numbers in the map count those too. */
  let forgotten = 0
  const numbers = new Map<string, number>()

  function forgetOld(): void {
    if (begins === "everything" || kept.length < fewEntries) return
    const turn = kept.findLastIndex(({ kind }) => kind === "turn_start")
    const from = turn < 0 || kept.length - turn > mostOfTurn ? kept.length - 1 : turn
    for (const { uuid } of kept.slice(0, from)) numbers.delete(uuid)
    kept = kept.slice(from)
    forgotten += from
  }

  return {
    hasOlder: () => begins === "from_some_entry" || forgotten > 0,
    first: () => kept[0]?.uuid,
    from: (place: number): readonly Entry[] => kept.slice(place),
    placeOf(uuid: string): number | undefined {
      const number = numbers.get(uuid)
      return number === undefined ? undefined : number - forgotten
    },
    add(entry: Entry): void {
      numbers.set(entry.uuid, forgotten + kept.length)
      kept.push(entry)
      if (entry.kind === "compaction") forgetOld()
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

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { type Feed, type FeedParts, openFeed } from "#session/journal/feed.ts"
import { everyKind } from "../../kit/every-kind.ts"
import { paperState } from "../../kit/paper-session.ts"

async function collect(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = []
  for await (const event of events) all.push(event)
  return all
}

const cursors = (events: readonly Event[]): string[] => events.map(({ cursor }) => cursor)

/** As a log gives its entries: later than asked for, a few at a time, with what was added meanwhile. */
const inPieces = (log: readonly Entry[], onRead = (): void => {}): NonNullable<FeedParts["older"]> =>
  async function* (uuid) {
    onRead()
    let at = uuid === null ? 0 : log.findIndex((entry) => entry.uuid === uuid) + 1
    if (uuid !== null && at === 0) return
    for (; at < log.length; at += 2) {
      await Bun.sleep(0)
      yield log.slice(at, at + 2)
    }
  }

const entryNamed = (uuid: string): Entry => ({ kind: "turn_start", turnId: "t", uuid, parentUuid: null, at: 0 })

/**
 * What happens to a log and whoever watches it: an entry, a passing moment, a process that ends and another that opens the
 * log (whole, or only its end), and someone who begins to watch after a place they saw: any of all that were ever told.
 */
const anyHappening = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "entry" as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: "moment" as const }) },
  { weight: 2, arbitrary: fc.nat().map((which) => ({ kind: "watch" as const, which })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }).map((loaded) => ({ kind: "restart" as const, loaded })) },
)

test("whoever comes back after any place gets every entry since, once and in order, across restarts, and each moment since it came", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHappening, { maxLength: 60, size: "max" }), async (happenings) => {
      const log: Entry[] = []
      /** Every place that was told, with how many entries there were by then. */
      const places: { cursor: string; entries: number }[] = [{ cursor: "beginning", entries: 0 }]
      let feed: Feed = openFeed()
      let told: string[] = []
      let watchers: { seen: Promise<Event[]>; from: number; entries: number; told: number }[] = []
      const witness = (): void => {
        const { length } = log
        const known = told
        void (async () => {
          for await (const { cursor } of feed.after("now")) known.push(cursor)
        })()
        places.push({ cursor: feed.last(), entries: length })
      }
      const end = async (): Promise<void> => {
        feed.close()
        for (const { seen, from, entries, told: before } of watchers) {
          const expected = [...log.slice(from, entries).map(({ uuid }) => uuid), ...told.slice(before)]
          expect(cursors(await seen)).toEqual(expected)
        }
        watchers = []
      }
      witness()
      for (const happening of happenings) {
        // The witness is a tick behind.
        await Promise.resolve()
        switch (happening.kind) {
          case "entry": {
            const entry = entryNamed(`e${log.length}`)
            log.push(entry)
            feed.publishEntry(entry)
            places.push({ cursor: entry.uuid, entries: log.length })
            break
          }
          case "moment":
            feed.publish({ type: "queue_change", texts: [] })
            break
          case "watch": {
            await Bun.sleep(0)
            const place = places[happening.which % places.length] ?? { cursor: "beginning", entries: 0 }
            const seen = collect(feed.after(place.cursor))
            watchers.push({ seen, from: place.entries, entries: log.length, told: told.length })
            break
          }
          case "restart": {
            await Bun.sleep(0)
            await end()
            const unread = Math.max(0, log.length - happening.loaded)
            feed = openFeed(unread > 0 ? { older: inPieces(log) } : {})
            told = []
            for (const entry of log.slice(unread)) feed.publishEntry(entry)
            witness()
            break
          }
        }
        await Bun.sleep(0)
        for (const cursor of told) {
          const at = Number(/^e(\d+)/.exec(cursor)?.[1] ?? -1) + 1
          if (!places.some((place) => place.cursor === cursor)) places.push({ cursor, entries: at })
        }
      }
      await end()
    }),
    { numRuns: 100 },
  )
})

test("an unknown place is said, and everything follows from the beginning", async () => {
  const log = ["a", "b", "c"].map(entryNamed)
  const feed = openFeed({ older: inPieces(log) })
  for (const entry of log.slice(1)) feed.publishEntry(entry)
  feed.close()
  expect(await collect(feed.after("elsewhere+3"))).toEqual([
    { cursor: "beginning", type: "unknown_cursor", unknown: "elsewhere+3" },
    ...log.map((entry) => ({ cursor: entry.uuid, type: "entry" as const, entry })),
  ])
})

test("what is at hand is had without reading the log", async () => {
  const log = ["a", "b", "c"].map(entryNamed)
  let reads = 0
  const feed = openFeed({ older: inPieces(log, () => reads++) })
  for (const entry of log.slice(1)) feed.publishEntry(entry)
  feed.close()
  expect(cursors(await collect(feed.after(feed.recent())))).toEqual(["b", "c"])
  expect(cursors(await collect(feed.after("b")))).toEqual(["c"])
  expect(reads).toBe(0)
  expect(cursors(await collect(feed.after("beginning")))).toEqual(["a", "b", "c"])
  expect(cursors(await collect(feed.after("a")))).toEqual(["b", "c"])
  expect(reads).toBeGreaterThan(0)
})

test("a change of the state is told after the entry that made it, and only then", async () => {
  let turns = 0
  const feed = openFeed({ state: () => ({ ...paperState, turns }) })
  const seen = collect(feed.after("now"))
  feed.publishEntry(entryNamed("a"))
  feed.publishEntry(entryNamed("b"))
  turns = 1
  feed.publishEntry(entryNamed("c"))
  feed.close()
  expect(cursors(await seen)).toEqual(["a", "a+1", "b", "c", "c+1"])
  expect((await seen).at(-1)).toMatchObject({ type: "state_change", state: { turns: 1 } })
})

test("a change without an entry is told with the next request, not with the results before it", async () => {
  let turns = 0
  const feed = openFeed({ state: () => ({ ...paperState, turns }) })
  const seen = collect(feed.after("now"))
  feed.publishEntry(entryNamed("a"))
  turns = 1
  feed.publishEntry({ ...everyKind.result, uuid: "b", parentUuid: "a", at: 0 })
  feed.publishEntry({ ...everyKind.request, uuid: "c", parentUuid: "b", at: 0 })
  feed.close()
  expect(cursors(await seen)).toEqual(["a", "a+1", "b", "c", "c+1"])
})

test("a long conversation is forgotten at its compaction, and read from the log by whoever wants it", async () => {
  const names = Array.from({ length: 2_400 }, (_, i) => `e${i}`)
  const log = names.map((name, i): Entry => {
    const stamp = { uuid: name, parentUuid: null, at: i }
    if (i % 100 === 0) return { ...stamp, kind: "turn_start", turnId: name }
    return i === 1_250 ? { ...compaction, ...stamp } : { ...stamp, kind: "notice", level: "info", text: name }
  })
  const feed = openFeed({ older: inPieces(log), begins: "from_the_start" })
  const early = collect(feed.after("beginning"))
  for (const entry of log.slice(0, 1_250)) feed.publishEntry(entry)
  // Begins to read the log while it is forgotten.
  const during = collect(feed.after("unknown"))
  for (const entry of log.slice(1_250, 1_300)) feed.publishEntry(entry)
  expect(feed.entries()[0]?.uuid).toBe("e1200")
  const late = collect(feed.after("beginning"))
  const from = collect(feed.after("e7"))
  const near = collect(feed.after("e1240"))
  for (const entry of log.slice(1_300)) feed.publishEntry(entry)
  feed.close()
  expect(cursors(await early)).toEqual(names)
  expect(cursors(await during).slice(1)).toEqual(names)
  expect(cursors(await late)).toEqual(names)
  expect(cursors(await from)).toEqual(names.slice(8))
  expect(cursors(await near)).toEqual(names.slice(1_241))
  expect(cursors(await collect(feed.after(feed.recent())))).toEqual(names.slice(1_200))
})

const compaction: Entry & { readonly kind: "compaction" } = {
  kind: "compaction",
  uuid: "",
  parentUuid: null,
  at: 0,
  trigger: "auto",
  preTokens: 9,
  postTokens: 1,
  by: "model",
  summary: "so far",
  messages: [],
  standing: [],
}

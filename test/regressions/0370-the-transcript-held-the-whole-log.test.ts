/**
 * At its beginning, and after a search, the transcript had the whole log in memory: 590 MB of a session of 300 MB. It
 * keeps what is near the screen, wherever one goes.
 */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { openHistory } from "#faces/tui/pager/history.ts"
import { openPages, type Hit } from "#faces/tui/pager/pages.ts"
import { openSearch } from "#faces/tui/pager/search.ts"
import type { Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished } from "#faces/view/view.ts"
import { openLog } from "#ground/transcript/log.ts"
import { openFeed } from "#session/journal/feed.ts"
import { openPast } from "#session/journal/past.ts"
import { openPaperSession } from "../kit/paper-session.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { answered, called, entriesOf, saidBy, writeLog } from "../kit/write-log.ts"

const turns = 14
const itemsOfTurn = 60
const mostItems = 4 * 2 * itemsOfTurn + 200

function turn(number: number): EntryBody[] {
  const id = `c${number}`
  const content = `${number} `.repeat(300_000 / `${number} `.length)
  const result = { kind: "result", callId: id, tool: "Read", isError: false, durationMs: 1 } as const
  return [
    { kind: "turn_start", turnId: `t${number}` },
    ...Array.from({ length: itemsOfTurn - 3 }, (_, n) =>
      saidBy(`words ${number}.${n}${n % 20 === 7 ? " needle" : ""}`),
    ),
    called(id, "Read", { file_path: "a.txt" }),
    { ...result, content, display: { kind: "text", text: content } },
    called(`${id}b`, "Read", { file_path: "b.txt" }),
    { ...result, callId: `${id}b`, content },
    answered(`done ${number}`),
    { kind: "turn_end", turnId: `t${number}`, reason: "completed" },
  ]
}

const entries = entriesOf(Array.from({ length: turns }, (_, number) => turn(number)).flat())
const named = (items: readonly Item[]): readonly string[] =>
  items.map((item) => (item.kind === "prompt" ? item.text : item.kind === "text" ? item.piece.markdown : item.kind))

function allItems(of: readonly Entry[]): readonly Item[] {
  const done: Item[] = []
  let view = emptyView
  for (const entry of of) {
    const taken = splitFinished(reduce(view, { type: "entry", entry }))
    done.push(...taken.finished)
    view = taken.view
  }
  return [...done, ...view.items]
}

/** A session that goes on with the log and has its last two turns in memory. */
function opened() {
  const folder = temporaryFolder()
  const log = openLog(writeLog(folder.join("s.jsonl"), entries), {
    sessionId: "s",
    version: "0",
    cwd: "/w",
    isNew: false,
  })
  if (!log.ok) throw new Error(log.failure.message)
  const feed = openFeed({ older: (uuid) => past.entriesAfter(uuid) })
  const past = openPast({ log: log.value, feed })
  const recent = entries.slice(-2 * turn(0).length)
  for (const entry of recent) feed.publishEntry(entry)
  let news = Promise.withResolvers<void>()
  const changed = (): void => {
    news.resolve()
    news = Promise.withResolvers()
  }
  const inMemory = allItems(recent)
  const history = openHistory({
    session: openPaperSession({
      feed,
      submit: () => {},
      answers: { log_parts: ({ before }) => past.parts(before.slice(1)) },
    }),
    recent: feed.recent(),
    newest: { items: () => inMemory, isLoaded: () => true, close: () => {} },
    last: () => entries.at(-1)?.uuid,
    changed,
  })
  return {
    history,
    changed,
    news: () => news.promise,
    [Symbol.dispose]() {
      log.value.close()
      folder[Symbol.dispose]()
    },
  }
}

test("from the end to the beginning and back, all of it comes by, and little of it stays", async () => {
  using t = opened()
  const { history } = t
  const all = named(allItems(entries))
  const seen = new Set<number>()
  let first = all.length - history.items().length
  const check = (): void => {
    const items = named(history.items())
    expect(items).toEqual(all.slice(first, first + items.length))
    expect(items.length).toBeLessThanOrEqual(mostItems)
    for (let at = first; at < first + items.length; at++) seen.add(at)
  }
  for (const way of ["earlier", "later"] as const) {
    while (way === "earlier" ? history.hasEarlier() : history.hasLater()) {
      const news = t.news()
      history.read(way)
      if (history.isReading()) await news
      const by = history.settle(() => true)
      if (typeof by === "number") first -= by
      check()
    }
    expect(way === "earlier" ? first : first + history.items().length).toBe(way === "earlier" ? 0 : all.length)
  }
  expect(seen.size).toBe(all.length)
  history.read({ section: -Infinity })
  await t.news()
  expect(history.settle(() => true)).toBe("another section")
  first = 0
  check()
  expect(history.items().length).toBeLessThan(4 * itemsOfTurn)
})

test("a search finds every match in its order, and keeps only their numbers", async () => {
  using t = opened()
  const { history } = t
  const draw = (item: Item): readonly string[] => named([item])
  const pages = openPages(history.items, draw, history.hasLater)
  const words = "needle"
  const search = openSearch({ words, history, find: (wanted, items) => pages.find(wanted, items), changed: t.changed })
  const wanted = named(allItems(entries)).filter((text) => text.includes(words))
  const reach = async (): Promise<string> => {
    for (;;) {
      const place = search.wanted()
      const news = t.news()
      if (place && !history.within(place.section)) history.read({ section: place.section })
      const inside = place && history.within(place.section)
      if (place && inside) {
        const hits: readonly Hit[] = pages.find(words, inside.items)
        const number = place.number === "last" ? hits.length - 1 : place.number
        search.reached({ section: place.section, number, count: hits.length })
        return named(inside.items)[hits[number]?.item ?? -1] ?? ""
      }
      await news
      history.settle((section) => section === search.wanted()?.section)
    }
  }
  search.start("end")
  const back = [await reach()]
  while (back.length < wanted.length) {
    search.step(-1)
    back.push(await reach())
    expect(history.items().length).toBeLessThanOrEqual(mostItems)
  }
  expect(back).toEqual(wanted.toReversed())
  expect(search.state()).toEqual({ kind: "counted", number: 1, count: wanted.length })
  // Before the first comes the last, and after it the first.
  search.step(-1)
  expect(await reach()).toBe(wanted.at(-1) ?? "")
  search.step(1)
  expect(await reach()).toBe(wanted[0] ?? "")
})

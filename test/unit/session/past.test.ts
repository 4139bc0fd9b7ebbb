/** What is asked of the past is read from the log piece by piece, and is what reading all of it would give. */

import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { openLog } from "#ground/transcript/log.ts"
import { branches, pathOf } from "#ground/transcript/path.ts"
import { openFeed } from "#session/journal/feed.ts"
import { openPast, type Past } from "#session/journal/past.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { answered, entriesOf, saidBy, writeLog } from "../../kit/write-log.ts"

const snapshot = (snapshotId: string): EntryBody => ({ kind: "snapshot", snapshotId, when: "after", uncovered: [] })
const compaction: EntryBody = {
  kind: "compaction",
  trigger: "auto",
  preTokens: 9,
  postTokens: 1,
  by: "extract",
  summary: "so far",
  messages: [{ role: "user", content: [{ type: "text", text: "so far" }] }],
  standing: [],
}
const entries = entriesOf([
  { kind: "mode", mode: "default" },
  { kind: "turn_start", turnId: "t1" },
  saidBy("one"),
  snapshot("s1"),
  answered("a"),
  compaction,
  { kind: "turn_start", turnId: "t2" },
  saidBy("two"),
  answered("b"),
  { kind: "head", to: "u5", why: "rewind" },
  { kind: "turn_start", turnId: "t3" },
  saidBy("three"),
  snapshot("s2"),
  answered("c"),
])
const named = (list: readonly Entry[]): string => list.map(({ uuid }) => uuid).join(" ")

async function expectAll(past: Past): Promise<void> {
  expect(await past.entries()).toEqual(entries)
  expect(named(await past.ofKinds("head", "compaction"))).toBe("u5 u9")
  expect(named(await past.lastOf("prompt", 2))).toBe("u7 u11")
  expect(named(await past.history())).toBe("u0 u1 u2 u3 u6 u7 u10 u11 u12")
  expect(named(await past.path("prompt", "turn_start"))).toBe("u1 u2 u10 u11")
  expect(await past.tip()).toBe("u13")
  expect(await past.branches()).toEqual([...branches(entries)])
  // As a resume would, from the last compaction on.
  expect(named(past.pathTo("u8"))).toBe("u5 u6 u7 u8")
  expect(named(past.pathTo("u13"))).toBe("u5 u10 u11 u12 u13")
  expect(named(past.pathTo("u4"))).toBe("u0 u1 u2 u3 u4")
  expect(pathOf(entries)).toHaveLength(10)
  expect(past.pathTo(null)).toEqual([])
  expect(past.pathTo("nobody")).toEqual([])
}

async function after(past: Past, uuid: string | null): Promise<string> {
  const all: Entry[] = []
  for await (const piece of past.entriesAfter(uuid)) all.push(...piece)
  return named(all)
}

test("a session that goes on with a log", async () => {
  using folder = temporaryFolder()
  const path = writeLog(folder.join("s.jsonl"), entries.slice(0, 9))
  const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: false })
  if (!log.ok) throw new Error(log.failure.message)
  const origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "", entrypoint: "cli" }
  for (const entry of entries.slice(9)) log.value.append(entry, origin)
  const past = openPast({ log: log.value, feed: openFeed() })
  // What was appended here is enough for this, so nothing older is read.
  expect(named(await past.lastTurn())).toBe("u10 u11 u12")
  expect(log.value.index.known().count()).toBe(5)
  await expectAll(past)
  expect(named(await past.lastTurn())).toBe("u3 u10 u11 u12")
  expect(await after(past, "u11")).toBe("u12 u13")
  expect(await after(past, "u13")).toBe("")
  expect(await after(past, "nobody")).toBe("")
  expect(await after(past, null)).toBe(named(entries))
  log.value.close()
})

test("a session that is not kept, and one whose log is gone, remember what went by", async () => {
  using folder = temporaryFolder()
  const feed = openFeed()
  for (const entry of entries) feed.publishEntry(entry)
  await expectAll(openPast({ log: undefined, feed }))
  const path = writeLog(folder.join("s.jsonl"), entries)
  const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: false })
  if (!log.ok) throw new Error(log.failure.message)
  rmSync(path)
  const past = openPast({ log: log.value, feed })
  expect(named(await past.lastTurn())).toBe("u3 u10 u11 u12")
  await expectAll(past)
  log.value.close()
})

test("many entries come in pieces", async () => {
  using folder = temporaryFolder()
  const many = entriesOf(Array.from({ length: 1_700 }, (_, n) => saidBy(String(n))))
  const path = writeLog(folder.join("s.jsonl"), many)
  const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: false })
  if (!log.ok) throw new Error(log.failure.message)
  const sizes: number[] = []
  for await (const piece of openPast({ log: log.value, feed: openFeed() }).entriesAfter("u99")) sizes.push(piece.length)
  expect(sizes).toEqual([500, 500, 500, 100])
  log.value.close()
})

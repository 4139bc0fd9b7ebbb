/** What it costs to look back in a session with a long log: after a turn, and at all of it; and how long others wait meanwhile. */

import { heapStats } from "bun:jsc"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Entry, EntryBody } from "../src/agent/words/entry.ts"
import { openLog } from "../src/ground/transcript/log.ts"
import { openFeed } from "../src/session/journal/feed.ts"
import { openPast, type Past } from "../src/session/journal/past.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { writeSessionLog } from "./kit/session-log.ts"

const rounds = 5
const sessionId = "00000000-0000-4000-8000-000000000001"
const place = makePlace()
const path = join(place.state, "past.jsonl")
writeSessionLog({
  path,
  sessionId,
  cwd: place.work,
  entries: 58_000,
  resultCharacters: 4_200,
  salt: 1,
  compactedBefore: 2_000,
})
const origin = { sessionId, cwd: place.work, version: "0", gitBranch: "main", entrypoint: "cli" }

/** A session that goes on with the log, after a turn that changed something. */
function opened(): { readonly past: Past; readonly close: () => void } {
  const log = openLog(path, { ...origin, isNew: false })
  if (!log.ok) throw new Error(log.failure.message)
  const bodies: EntryBody[] = [
    { kind: "turn_start", turnId: "t" },
    { kind: "prompt", promptId: "p", content: [{ type: "text", text: "change it" }] },
    { kind: "snapshot", snapshotId: "s", when: "after", uncovered: [] },
    { kind: "turn_end", turnId: "t", reason: "completed" },
  ]
  for (const body of bodies) {
    const entry: Entry = { ...body, uuid: crypto.randomUUID(), parentUuid: null, at: Date.now() }
    log.value.append(entry, origin)
  }
  return { past: openPast({ log: log.value, feed: openFeed() }), close: log.value.close }
}

/** How long it took, and the longest time in which nothing else could run. */
async function timed(
  work: (past: Past) => Promise<unknown>,
): Promise<{ readonly ms: number; readonly blocked: number }> {
  const { past, close } = opened()
  let blocked = 0
  let last = performance.now()
  let going = true
  const beat = (): void => {
    const now = performance.now()
    blocked = Math.max(blocked, now - last)
    last = now
    if (going) setImmediate(beat)
  }
  setImmediate(beat)
  await new Promise((resolve) => setTimeout(resolve, 5))
  blocked = 0
  const start = performance.now()
  await work(past)
  const ms = performance.now() - start
  beat()
  going = false
  close()
  return { ms, blocked }
}

async function figures(
  work: (past: Past) => Promise<unknown>,
): Promise<{ readonly ms: number; readonly blocked: number }> {
  const all: { readonly ms: number; readonly blocked: number }[] = []
  for (let round = 0; round < rounds; round++) all.push(await timed(work))
  return { ms: median(all.map(({ ms }) => ms)), blocked: median(all.map(({ blocked }) => blocked)) }
}

const reading: number[] = []
for (let round = 0; round < rounds; round++) {
  const start = performance.now()
  readFileSync(path)
  reading.push(performance.now() - start)
}
const once = median(reading)
const lastTurn = await figures((past) => past.lastTurn())
const points = await figures((past) => past.history())
const whole = await figures((past) => past.entries())
const held = (): number => {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return (heapSize + extraMemorySize) / 1e6
}
const kept = opened()
const before = held()
await kept.past.tip()
const grown = held() - before
kept.close()
const megabytes = shown(statSync(path).size / 1e6, "MB")
place.remove()

const floor = { name: "reading the file once", value: once }
answer(
  rowOf({
    what: `what the last turn changed, log of ${megabytes}`,
    ours: lastTurn.ms,
    unit: "ms",
    floor,
    toReach: 10,
    note: `blocked ${shown(lastTurn.blocked, "ms")}`,
  }),
  rowOf({
    what: `the points to go back to, log of ${megabytes}, first look`,
    ours: points.ms,
    unit: "ms",
    floor,
    note: `blocked ${shown(points.blocked, "ms")}`,
  }),
  rowOf({ what: "the longest time others wait for that", ours: points.blocked, unit: "ms", toReach: 30 }),
  rowOf({
    what: `every entry, log of ${megabytes}`,
    ours: whole.ms,
    unit: "ms",
    floor,
    note: `blocked ${shown(whole.blocked, "ms")}`,
  }),
  rowOf({ what: "memory for an index of 58,000 entries", ours: grown, unit: "MB", toReach: 6 }),
)

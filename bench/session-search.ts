/**
 * How long does it take to find a session by a word in it? Over 128 MB of sessions by default (`--gigabyte` for the whole
 * one), beside reading those files once; and how long the catalogue takes to be made and to be kept up to date.
 */

import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { withCatalog } from "../src/ground/transcript/catalog.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { writeSessionLog } from "./kit/session-log.ts"

const sessions = process.argv.includes("--gigabyte") ? 1024 : 128
const place = makePlace()
const projects = join(place.state, "projects")
const folder = join(projects, "-w")
for (let n = 0; n < sessions; n++) {
  const sessionId = `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`
  const path = join(folder, `${sessionId}.jsonl`)
  writeSessionLog({ path, sessionId, cwd: "/w", entries: 1000, resultCharacters: 4200, compactedBefore: 200, salt: n })
}
const catalog = { file: join(place.state, "cache/sessions.sqlite"), projects }

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
const paths = readdirSync(folder).map((name) => join(folder, name))
const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
const once = await timed(() => paths.forEach((path) => readFileSync(path)))
const made = await timed(() => withCatalog(catalog, ({ search }) => search("please", { limit: 20 })))
const words = ["please", "badoki", "src/luno", "rasi tuve", "the"]
const searches: number[] = []
for (let round = 0; round < 5; round++)
  for (const word of words)
    searches.push(await timed(() => withCatalog(catalog, ({ search }) => search(word, { limit: 20 }))))
const listings: number[] = []
for (let round = 0; round < 5; round++) {
  appendFileSync(paths[round] ?? "", '{"type":"notice"}\n')
  listings.push(await timed(() => withCatalog(catalog, ({ list }) => list({ limit: 20 }))))
}
const databaseBytes = statSync(catalog.file).size
place.remove()

const size = shown(bytes / 1e6, "MB")
const floor = { name: "reading the files once", value: once }
answer(
  rowOf({
    what: `a search over ${size} in ${sessions} sessions`,
    ours: median(searches),
    unit: "ms",
    floor,
    toReach: 100,
  }),
  rowOf({
    what: `a list of ${sessions} sessions, one of them changed`,
    ours: median(listings),
    unit: "ms",
    floor,
    toReach: 100,
  }),
  rowOf({
    what: `the catalogue of ${size}, made anew`,
    ours: made,
    unit: "ms",
    floor,
    note: `${shown(databaseBytes / 1e6, "MB")} on disk`,
  }),
)

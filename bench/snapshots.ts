/** What does a snapshot of a project cost, in time and on disk, when ten of its 5,000 files have changed? */

import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "../src/ground/bundled/confine.ts"
import { recordingFlags } from "../src/ground/sandbox/recording.ts"
import { openJournal } from "../src/ground/snapshots/journal.ts"
import { openSnapshots, type Snapshots } from "../src/ground/snapshots/snapshots.ts"
import { systemClock } from "../src/lib/clock.ts"
import { systemIds } from "../src/lib/ids.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const files = 5000
const changedAtOnce = 10
const rounds = 60
const signal = new AbortController().signal

const place = makePlace()
const paths = Array.from({ length: files }, (_, i) => join(place.work, `part-${i % 100}`, `file-${i}.ts`))
for (let i = 0; i < 100; i++) mkdirSync(join(place.work, `part-${i}`))
for (const [i, path] of paths.entries()) writeFileSync(path, `export const value${i} = ${i}\n`.repeat(80))
// Files that were just written are read again to be sure; those of a project are older.
await Bun.sleep(200)

const snapshots = opened(join(place.state, "file-history"))
const first = await timed(() => snapshots.saveAll("person", signal))
const floor: number[] = []
const ours: number[] = []
const unchanged: number[] = []
const edits: number[] = []
const storedBefore = snapshots.numbers().bytes
let changedBytes = 0
for (let round = 0; round < rounds; round++) {
  for (let n = 0; n < changedAtOnce; n++) {
    const text = `export const value = ${round * changedAtOnce + n}\n${crypto.randomUUID()}\n`.repeat(60)
    changedBytes += text.length
    writeFileSync(paths[(round * 83 + n * 17) % files] ?? "", text)
  }
  floor.push(await timed(async () => bareLook(place.work)))
  ours.push(await timed(() => snapshots.saveAll("agent", signal)))
  unchanged.push(await timed(() => snapshots.saveAll("person", signal)))
}
const stored = snapshots.numbers().bytes - storedBefore
for (let round = 0; round < rounds; round++) {
  const path = paths[round] ?? ""
  const before = await timed(() => snapshots.save([path], "person", signal))
  writeFileSync(path, `edited ${round}\n`.repeat(100))
  edits.push(before + (await timed(() => snapshots.save([path], "agent", signal))))
}
const noise = await storedOverNoise()
await snapshots.close()
const recorded = await recordedCommand()
place.remove()

const bareWalk = { name: "bare walk and stat", value: percentile(floor, 95) }
answer(
  rowOf({
    what: `a snapshot, ${changedAtOnce} of ${files.toLocaleString("en-US")} files changed, 95th percentile`,
    ours: percentile(ours, 95),
    unit: "ms",
    floor: bareWalk,
    toReach: 150,
    note: `median ${shown(median(ours), "ms")}, nothing changed ${shown(median(unchanged), "ms")}, the very first ${shown(first, "ms")}`,
  }),
  rowOf({
    what: "snapshots around an edit, both together, 95th percentile",
    ours: percentile(edits, 95),
    unit: "ms",
    note: `median ${shown(median(edits), "ms")}`,
  }),
  ...(recorded ? [recorded] : []),
  rowOf({
    what: "bytes in the store per changed byte",
    ours: stored / changedBytes,
    unit: "x",
    toReach: 1.2,
    note: `of content that cannot be compressed ${noise.toFixed(2)} x`,
  }),
)

/** A shell that changes one file, recorded and kept, beside a bare shell that does; undefined where nothing is recorded. */
async function recordedCommand(): Promise<ReturnType<typeof rowOf> | undefined> {
  const helper = await confinePath({ cacheFolder: place.state, pid: process.pid })
  if (helper === undefined) return undefined
  const kept = opened(join(place.state, "recorded"))
  const shells: number[] = []
  const all: number[] = []
  const shell = (argv: readonly string[]): number | null => Bun.spawnSync([...argv], { cwd: place.work }).exitCode
  for (let round = 0; round < rounds; round++) {
    const line = ["/bin/sh", "-c", `echo ${round} > part-1/file-1.ts`]
    shells.push(await timed(async () => shell(line)))
    const folder = join(place.state, `journal-${round}`)
    mkdirSync(folder)
    const flags = recordingFlags({ folder, roots: [place.work], except: [place.state], copiedBytes: 1_000_000_000 })
    all.push(
      await timed(async () => {
        shell([helper, "record", ...flags, "--", ...line])
        const touched = openJournal(folder).read()
        await kept.saveTouched(touched, signal)
        await kept.save(
          touched.map(({ path }) => path),
          "agent",
          signal,
          "exact",
        )
      }),
    )
  }
  await kept.close()
  return rowOf({
    what: `a recorded command that changes one of ${files.toLocaleString("en-US")} files, with both snapshots, 95th percentile`,
    ours: percentile(all, 95),
    unit: "ms",
    floor: { name: "bare shell", value: percentile(shells, 95) },
    note: `median ${shown(median(all), "ms")}, bare shell ${shown(median(shells), "ms")}`,
  })
}

/** The dearest content: random bytes. */
async function storedOverNoise(): Promise<number> {
  const before = snapshots.numbers().bytes
  let bytes = 0
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < changedAtOnce; n++) {
      const content = crypto.getRandomValues(new Uint8Array(4000))
      bytes += content.length
      writeFileSync(paths[(round * 71 + n * 13) % files] ?? "", content)
    }
    await snapshots.saveAll("agent", signal)
  }
  return (snapshots.numbers().bytes - before) / bytes
}

function opened(folder: string): Snapshots {
  const found = openSnapshots({
    folder,
    roots: () => [place.work],
    excluded: [],
    clock: systemClock,
    ids: systemIds,
    pid: process.pid,
  })
  if (!found.ok) throw new Error(found.failure.kind)
  return found.value
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

function bareLook(folder: string): number {
  let count = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    lstatSync(path)
    count += entry.isDirectory() ? bareLook(path) : 1
  }
  return count
}

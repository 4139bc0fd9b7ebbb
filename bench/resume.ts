/** How long until a session of 100 MB can go on: its log read from the end, beside reading the file once. */

import { readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { loadLog, loadTail } from "../src/ground/transcript/load.ts"
import { pathOf } from "../src/ground/transcript/path.ts"
import { projectSlug } from "../src/ground/settings/state-folder.ts"
import { runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { writeSessionLog } from "./kit/session-log.ts"

const rounds = 7
const sessionId = "00000000-0000-4000-8000-000000000001"
const place = makePlace()
const path = join(place.state, "projects", projectSlug(place.work), `${sessionId}.jsonl`)
const shape = { path, sessionId, cwd: place.work, entries: 100_000, resultCharacters: 4_200, salt: 1 }
writeSessionLog({ ...shape, compactedBefore: 2_000 })

const timed = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}
const once = median(Array.from({ length: rounds }, () => timed(() => readFileSync(path))))
const tail = median(
  Array.from({ length: rounds }, () =>
    timed(() => {
      const loaded = loadTail(path)
      return loaded.ok && pathOf(loaded.value.entries)
    }),
  ),
)
const whole = median(Array.from({ length: 3 }, () => timed(() => loadLog(path))))
const resumed = (): ReturnType<typeof runAgent> =>
  runAgent({ place, answers: [[says("Done.")]], flags: ["--resume", sessionId] })
const first: number[] = []
for (let round = 0; round < 3; round++) first.push(startMs(await resumed()))
rmSync(path)
writeSessionLog({ ...shape, compactedBefore: 50 })
const cpu: number[] = []
for (let round = 0; round < 3; round++) cpu.push((await resumed()).cpuMs)
const megabytes = shown(statSync(path).size / 1e6, "MB")
place.remove()

const floor = { name: "reading the file once", value: once }
answer(
  rowOf({
    what: `a log of ${megabytes} to its conversation, from the end`,
    ours: tail,
    unit: "ms",
    floor,
    toReach: 300,
  }),
  rowOf({ what: `a log of ${megabytes}, whole`, ours: whole, unit: "ms", floor }),
  rowOf({
    what: `--resume of ${megabytes} to the first request`,
    ours: median(first),
    unit: "ms",
    floor,
    toReach: 1_000,
  }),
  rowOf({ what: "processor time of the same, soon after a compaction", ours: median(cpu), unit: "ms", toReach: 100 }),
)

/** How long does a headless run take from the last byte of the last answer to its exit? */

import { rmSync } from "node:fs"
import { cleaningMark } from "../src/ground/transcript/cleaning.ts"
import { exitMs, runAgent } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runBare, runReads } from "./kit/steps.ts"

const bare = compileBare("fetch")
const ours: number[] = []
const afterSteps: number[] = []
const firstOfDay: number[] = []
const floor: number[] = []
for (let i = 0; i < 20; i++) {
  ours.push(exitMs(await runAgent({ answers: [[says("Done.")]] })))
  afterSteps.push(exitMs(await runReads(10)))
  const place = makePlace()
  rmSync(cleaningMark(place.state))
  firstOfDay.push(exitMs(await runAgent({ place, answers: [[says("Done.")]] })))
  place.remove()
  floor.push(exitMs(await runBare(bare, 1)))
}
bare.remove()

const bareExit = { name: "bare fetch and exit", value: median(floor) }
const row = (what: string, times: readonly number[]) =>
  rowOf({
    what,
    ours: median(times),
    unit: "ms",
    floor: bareExit,
    toReach: 10,
    note: `p95 ${shown(percentile(times, 95), "ms")}`,
  })
answer(
  row("exit after the last byte, one answer", ours),
  row("exit after the last byte, 10 read steps", afterSteps),
  row("the same for the first run of a day, which cleans up", firstOfDay),
)

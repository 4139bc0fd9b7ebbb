/** How long does a headless run take from its start to the headers of its first request? */

import { runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runBare } from "./kit/steps.ts"

const bare = compileBare("fetch")
const place = makePlace()
const first: number[] = []
const later: number[] = []
const floor: number[] = []
for (let i = 0; i < 20; i++) {
  first.push(startMs(await runAgent({ answers: [[says("Done.")]] })))
  later.push(startMs(await runAgent({ answers: [[says("Done.")]], place })))
  floor.push(startMs(await runBare(bare, 1)))
}
place.remove()
bare.remove()

const bareStart = { name: "bare start and fetch", value: median(floor) }
const note = (times: readonly number[]): string => `p95 ${shown(percentile(times, 95), "ms")}`
answer(
  rowOf({
    what: "start to first request, empty home",
    ours: median(first),
    unit: "ms",
    floor: bareStart,
    toReach: 60,
    note: note(first),
  }),
  rowOf({
    what: "start to first request, used home",
    ours: median(later),
    unit: "ms",
    floor: bareStart,
    toReach: 60,
    note: note(later),
  }),
)

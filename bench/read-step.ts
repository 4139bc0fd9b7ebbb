/** What does a step that reads a small file add between the last byte of an answer and the next request? */

import { gaps } from "./kit/agent.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runBareLike, runReads } from "./kit/steps.ts"

const bare = compileBare("fetch")
const ours: number[] = []
const floor: number[] = []
const connections: number[] = []
for (let i = 0; i < 4; i++) {
  const run = await runReads(50)
  ours.push(...gaps(run))
  connections.push(run.connections)
  floor.push(...gaps(await runBareLike(run, bare)))
}
bare.remove()

answer(
  rowOf({
    what: "overhead of a read step",
    ours: median(ours),
    unit: "ms",
    floor: { name: "bare fetch round trip", value: median(floor) },
    toReach: 3,
    note: `p95 ${shown(percentile(ours, 95), "ms")}, ${Math.max(...connections)} connection`,
  }),
)

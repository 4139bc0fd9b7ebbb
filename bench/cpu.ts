/** How much processor time does a read step take, the start and the exit of the program included? */

import { compileBare } from "./kit/bare-program.ts"
import { median } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runBareLike, runReads } from "./kit/steps.ts"

const steps = 300
const bare = compileBare("fetch")
const ours: number[] = []
const floor: number[] = []
for (let i = 0; i < 3; i++) {
  const run = await runReads(steps)
  ours.push(run.cpuMs / steps)
  floor.push((await runBareLike(run, bare)).cpuMs / steps)
}
bare.remove()

answer(
  rowOf({
    what: `CPU per step, ${steps} read steps`,
    ours: median(ours),
    unit: "ms",
    floor: { name: "bare fetch", value: median(floor) },
    toReach: 3,
  }),
)

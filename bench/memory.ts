/** How much memory does a session hold at its peak? */

import { compileBare } from "./kit/bare-program.ts"
import { median } from "./kit/figures.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"
import { runBareLike, runReads } from "./kit/steps.ts"

const bare = compileBare("fetch")
answer(await peak(50, 70), await peak(300, 90))
bare.remove()

async function peak(steps: number, toReach: number): Promise<Row> {
  const ours: number[] = []
  const floor: number[] = []
  for (let i = 0; i < 3; i++) {
    const run = await runReads(steps)
    ours.push(run.peakMb)
    floor.push((await runBareLike(run, bare)).peakMb)
  }
  return rowOf({
    what: `peak memory, ${steps} read steps`,
    ours: median(ours),
    unit: "MB",
    floor: { name: "bare fetch", value: median(floor) },
    toReach,
  })
}

/** What does a step that runs `true` in the shell add between the last byte of an answer and the next request? */

import { gaps } from "./kit/agent.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runShell } from "./kit/steps.ts"

const ours: number[] = []
const firsts: number[] = []
const floor: number[] = []
for (let i = 0; i < 4; i++) {
  const [first = Number.NaN, ...rest] = gaps(await runShell(40))
  firsts.push(first)
  ours.push(...rest)
  for (let n = 0; n < 40; n++) floor.push(await bareSpawn())
}

answer(
  rowOf({
    what: "overhead of a shell step",
    ours: median(ours),
    unit: "ms",
    floor: { name: "bare spawn of bash", value: median(floor) },
    toReach: 8,
    note: `p95 ${shown(percentile(ours, 95), "ms")}, first of a session ${shown(median(firsts), "ms")}`,
  }),
)

async function bareSpawn(): Promise<number> {
  const start = performance.now()
  const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", "true"], {
    stdio: ["ignore", "ignore", "ignore"],
  })
  await child.exited
  return performance.now() - start
}

/** What does a step that runs `true` in the shell add between the last byte of an answer and the next request? */

import { gaps } from "./kit/agent.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runShell } from "./kit/steps.ts"

interface Steps {
  readonly firsts: number[]
  readonly rest: number[]
}

const confined: Steps = { firsts: [], rest: [] }
const allowed: Steps = { firsts: [], rest: [] }
const floor: number[] = []
for (let i = 0; i < 4; i++) {
  take(confined, gaps(await runShell(40, "confined")))
  take(allowed, gaps(await runShell(40, "allowed")))
  for (let n = 0; n < 40; n++) floor.push(await bareSpawn())
}

answer(rowFor("overhead of a shell step", confined), rowFor("the same where a rule allows all commands", allowed))

function take({ firsts, rest }: Steps, [first = Number.NaN, ...later]: readonly number[]): void {
  firsts.push(first)
  rest.push(...later)
}

function rowFor(what: string, { firsts, rest }: Steps) {
  return rowOf({
    what,
    ours: median(rest),
    unit: "ms",
    floor: { name: "bare spawn of bash", value: median(floor) },
    toReach: 8,
    note: `p95 ${shown(percentile(rest, 95), "ms")}, first of a session ${shown(median(firsts), "ms")}`,
  })
}

async function bareSpawn(): Promise<number> {
  const start = performance.now()
  const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", "true"], {
    stdio: ["ignore", "ignore", "ignore"],
  })
  await child.exited
  return performance.now() - start
}

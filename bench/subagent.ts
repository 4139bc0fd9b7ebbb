/** How long does an agent take from the call that starts it to its first request, beside a step of its parent? */

import { gaps, runAgent } from "./kit/agent.ts"
import { calls, reads, says, type Use } from "./kit/answers.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const rounds = 20
const settleMs = 200
const task: Use = {
  name: "Task",
  input: { description: "Look at it", prompt: "Look at it and report.", subagent_type: "general-purpose" },
}

const starts: number[] = []
const firsts: number[] = []
const ends: number[] = []
const steps: number[] = []
for (let i = 0; i < 4; i++) {
  const place = makePlace({ files: rounds })
  await Bun.sleep(settleMs)
  // In each round the parent starts an agent, which answers at once, and then takes a step of its own.
  const round = (path: string, at: number) => [[calls(2 * at, task)], [says("Seen.")], [calls(2 * at + 1, reads(path))]]
  const run = await runAgent({ place, answers: [...place.files.flatMap(round), [says("Done.")]] })
  place.remove()
  for (const [index, gap] of gaps(run).entries()) {
    const figures = [index === 0 ? firsts : starts, ends, steps][index % 3]
    figures?.push(gap)
  }
}

answer(
  rowOf({
    what: "an agent's start to its first request",
    ours: median(starts),
    unit: "ms",
    floor: { name: "a step of its parent", value: median(steps) },
    note: `p95 ${shown(percentile(starts, 95), "ms")}, first of a session ${shown(median(firsts), "ms")}, from its last word to the parent's request ${shown(median(ends), "ms")}`,
  }),
)

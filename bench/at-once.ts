/** Do calls that only read run side by side? Five searches, each held up for 400 ms by the program that searches. */

import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gaps, runAgent } from "./kit/agent.ts"
import { calls, says, searches } from "./kit/answers.ts"
import { median } from "./kit/figures.ts"
import { type BenchPlace, makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const heldMs = 400
const found = "found-after-a-while.txt"

const place = makePlace()
const slowSearch = putSlowSearch(place)
const five = Array.from({ length: 5 }, (_, i) => searches(`word ${i}`))
const run = await runAgent({
  place,
  answers: [...Array.from({ length: 5 }, (_, step) => [calls(step, ...five)]), [says("Done.")]],
  bodies: "kept",
})
const floor: number[] = []
for (let i = 0; i < 3; i++) floor.push(await bareFive())
place.remove()
// Should the program one day look at what it searches with, this must not quietly measure something else.
if (!run.exchanges.at(-1)?.body.includes(found)) throw new Error("The slow search was not used.")

answer(
  rowOf({
    what: `5 slow searches at once, ${heldMs} ms each`,
    ours: median(gaps(run)),
    unit: "ms",
    floor: { name: "bare spawn of the same five", value: median(floor) },
    toReach: heldMs + 20,
  }),
)

/** Puts a program that only waits where the one that searches is unpacked to: reading files cannot be made slow from outside. */
function putSlowSearch({ state, work }: BenchPlace): string {
  const real = resolve(import.meta.dir, `../node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`)
  const path = join(state, "cache", `rg-${statSync(real).size}`)
  mkdirSync(join(state, "cache"), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nsleep ${heldMs / 1000}\nprintf '%s\\0' '${join(work, found)}'\n`)
  writeFileSync(join(work, found), "")
  chmodSync(path, 0o700)
  return path
}

async function bareFive(): Promise<number> {
  const start = performance.now()
  await Promise.all(
    Array.from({ length: 5 }, () => Bun.spawn([slowSearch], { stdio: ["ignore", "pipe", "ignore"] }).exited),
  )
  return performance.now() - start
}

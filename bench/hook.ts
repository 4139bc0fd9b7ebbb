/** What does a hook add to each call, beside the bare start of the shell that it runs in? */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gaps, runAgent } from "./kit/agent.ts"
import { calls, reads, says } from "./kit/answers.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const steps = 40
const settleMs = 200
const moments = ["PreToolUse", "PostToolUse"]

const hooked: number[] = []
const twice: number[] = []
const plain: number[] = []
const floor: number[] = []
for (let i = 0; i < 5; i++) {
  plain.push(...(await stepsWith([])))
  hooked.push(...(await stepsWith(moments.slice(0, 1))))
  twice.push(...(await stepsWith(moments)))
  for (let n = 0; n < steps; n++) floor.push(await bareSpawn())
}

answer(
  rowOf({
    what: "a hook, on each call",
    ours: median(hooked) - median(plain),
    unit: "ms",
    floor: { name: "bare spawn of sh", value: median(floor) },
    note: `before and after each call ${shown(median(twice) - median(plain), "ms")}`,
  }),
)

/** The overhead of read steps, each with a hook at these moments that has nothing to say; the first of a run loads what hooks need. */
async function stepsWith(events: readonly string[]): Promise<number[]> {
  const place = makePlace({ files: steps })
  const hook = [{ matcher: "Read", hooks: [{ type: "command", command: "true" }] }]
  const hooks = Object.fromEntries(events.map((event) => [event, hook]))
  // With the same settings file either way, so that reading it is no part of the difference.
  writeFileSync(join(place.state, "settings.json"), JSON.stringify({ hooks }))
  await Bun.sleep(settleMs)
  const answers = [...place.files.map((path, i) => [calls(i, reads(path))]), [says("Done.")]]
  try {
    return gaps(await runAgent({ place, answers })).slice(1)
  } finally {
    place.remove()
  }
}

async function bareSpawn(): Promise<number> {
  const start = performance.now()
  const child = Bun.spawn(["/bin/sh", "-c", "true"], { stdio: ["pipe", "pipe", "pipe"] })
  void child.stdin.end()
  await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return performance.now() - start
}

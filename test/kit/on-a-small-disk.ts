/** A session on a disk that fills up and is freed again; run where the folder for temporary files is a disk of its own. */

import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { tmpdir } from "node:os"
import { inspectLog } from "#ground/transcript/salvage.ts"
import { isEntry, openTestSession } from "./open-test-session.ts"
import { bash, calls, says, write } from "./script.ts"

const filler = join(tmpdir(), "filler")

/** Until not a byte fits any more. */
function fill(): void {
  for (let size = 1 << 20; size > 0; size = Math.floor(size / 2))
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(size))
    } catch {
      continue
    }
}

await using t = await openTestSession({
  script: [
    calls(bash("touch begun; until [ -e go ]; do sleep 0.01; done")),
    calls(write("now.txt", "y")),
    says("Done."),
  ],
})
const ended = t.prompt("work")
await t.until(isEntry("intent"))
void t.session.submit({ type: "prompt", content: [{ type: "text", text: "long ".repeat(2_000) }], when: "queue" })
fill()
void t.session.submit({ type: "prompt", content: [{ type: "text", text: "more ".repeat(2_000) }], when: "queue" })
const full = await ended
const requestsWhenFull = t.simulator.requests.length
rmSync(filler)
const freed = await t.prompt("and now?")
const told: string[] = []
await t.session.close()
for await (const event of t.session.events("beginning")) if (event.type === "entry") told.push(event.entry.uuid)
const state = inspectLog(t.logPath)
process.stdout.write(
  `${JSON.stringify({
    full: full.message?.split(" (")[0],
    requestsWhenFull,
    freed,
    written: t.read("now.txt"),
    damaged: state.ok && state.value.damaged,
    gaps: state.ok && state.value.gaps,
    isAllThere: JSON.stringify(t.entries().map(({ uuid }) => uuid)) === JSON.stringify(told),
  })}\n`,
)

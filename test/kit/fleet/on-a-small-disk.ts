/**
 * A fleet with its embedded database on a disk that fills up and is freed again, twice: once before anything is asked, once while a decision
 * waits to be carried out. Run where the folder for temporary files is a disk of its own.
 */

import { appendFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { notePrompt, noteTaker } from "./note-taker.ts"
import { openTrialFleet } from "./trial-fleet.ts"

const filler = join(tmpdir(), "filler")

/** Until not a byte fits any more. */
function fill(): void {
  for (let size = 1 << 22; size > 0; size = Math.floor(size / 2))
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(size))
    } catch {
      continue
    }
}

await using fleet = await openTrialFleet("embedded", noteTaker)
const wish = { workspace: { path: fleet.place.work }, model: "claude-sonnet-5", mode: "default" }
const make = async (nth: number): Promise<string> =>
  String(
    (await fleet.ask({ as: "ann", path: "sessions", key: `new ${nth}`, body: { ...wish, prompt: notePrompt(nth) } }))
      .body["id"],
  )

const first = await make(1)
const asked = await fleet.until(first, ({ pending }) => pending.length > 0)
fill()
const refused = await fleet.tryOnce({ as: "ann", path: "sessions", body: { ...wish, prompt: notePrompt(2) } })
const looks = ["", "/latest", "/team", "/changes", "/comments", "/sharing"].map((part) => `sessions/${first}${part}`)
const lists = ["me", "sessions", "sessions?search=note", "approvals", "workers", "choices", "usage"]
const refusedLooks = []
for (const path of [...looks, ...lists]) {
  const { status } = await fleet.tryOnce({ as: "ann", path })
  if (status >= 500) refusedLooks.push({ path, status })
}
const deciding = fleet.ask({
  as: "ann",
  path: `sessions/${first}/approvals/${asked.pending[0]?.id}`,
  body: { decision: "allow", digest: asked.pending[0]?.digest ?? "" },
})
await Bun.sleep(5_000)
rmSync(filler)
const decided = await deciding
fill()
await Bun.sleep(5_000)
rmSync(filler)
const over = await fleet.until(first, ({ stage }) => stage === "completed" || stage === "failed")
const second = await make(3)
await fleet.until(second, ({ pending }) => pending.length > 0)
process.stdout.write(
  `${JSON.stringify({
    refused: [refused.status, refused.body["error"]],
    refusedLooks,
    decided: [decided.status, decided.body["effective"]],
    over: [over.stage, over.result?.text],
    notes: await fleet.place.read("note-1.txt"),
    deaths: fleet.deaths(),
    stderr: fleet.stderr(),
  })}\n`,
)

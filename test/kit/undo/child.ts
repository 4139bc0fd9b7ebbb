/** A process that works with snapshots until someone ends it: `take` keeps what it changes, `rewind` goes back and forth. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { openUndoWorld } from "./world.ts"

const [what = "", path = "", seed = "1"] = process.argv.slice(2)
const log = join(path, "log.jsonl")
const folder = { path, join: (...parts: string[]) => join(path, ...parts), [Symbol.dispose]: () => {} }
const entries = readFileSync(log, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Entry)
const world = openUndoWorld({
  seed: Number(seed),
  at: folder,
  entries,
  onRecord: (entry) => appendFileSync(log, `${JSON.stringify(entry)}\n`),
})
const signal = new AbortController().signal
process.stdout.write("ready\n")

if (what === "take") {
  for (let round = 0; ; round++) {
    world.prompt()
    const file = folder.join("work", `round-${round % 40}.txt`)
    await world.edit(file, () => writeFileSync(file, `${seed} ${round}\n`.repeat(200)))
    await world.shell(`for i in 1 2 3 4 5; do head -c 3000 /dev/urandom > part-$i; done`)
  }
}
if (what === "rewind") {
  const first = entries.find((entry) => entry.kind === "prompt")
  for (;;) {
    const back = await world.kit().rewindFiles({ log: world.log(), promptId: first?.promptId ?? "", signal })
    if (!back.ok || !back.value) throw new Error(back.ok ? "nothing to do" : back.failure)
    world.record({ kind: "head", to: null, why: "rewind", files: back.value })
    const forth = await world.kit().redoFiles({ log: world.log(), files: back.value, signal })
    if (!forth.ok) throw new Error(forth.failure)
    world.record({ kind: "head", to: null, why: "redo", files: forth.value })
  }
}

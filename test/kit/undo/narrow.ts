/** Undo where the disk is full or permissions are missing. Runs in a sandbox that makes it so, and prints what came of it. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openUndoWorld } from "./world.ts"

const [what = "", path = ""] = process.argv.slice(2)
const folder = { path, join: (...parts: string[]) => join(path, ...parts), [Symbol.dispose]: () => {} }
const world = openUndoWorld({ at: folder })
const signal = new AbortController().signal
const noise = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
const work = (name: string): string => folder.join("work", name)
const notices = (): string[] => world.log().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
const leftovers = (): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\.(tmp|new)$/.test(name))

async function fullStore(): Promise<object> {
  writeFileSync(work("large.bin"), noise(60_000))
  world.prompt()
  await world.shell("echo changed > small.txt")
  writeFileSync(work("larger.bin"), noise(900_000))
  await world.shell("echo again > small.txt")
  await world.shell("echo more > small.txt")
  return { notices: notices(), small: readFileSync(work("small.txt"), "utf8"), leftovers: leftovers() }
}

async function fullWork(): Promise<object> {
  const large = noise(300_000)
  writeFileSync(work("large.bin"), large)
  writeFileSync(work("small.txt"), "one")
  const promptId = world.prompt()
  await world.shell("echo small > large.bin; echo two > small.txt")
  writeFileSync(work("filler.bin"), noise(400_000))
  const refused = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  const between = [readFileSync(work("large.bin"), "utf8"), readFileSync(work("small.txt"), "utf8"), leftovers()]
  rmSync(work("filler.bin"))
  const done = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  const isBack = Buffer.from(large).equals(readFileSync(work("large.bin")))
  return { refused, between, done: done.ok && done.value?.written.length, isBack }
}

async function denied(): Promise<object> {
  mkdirSync(work("closed"))
  writeFileSync(work("closed/a.txt"), "a")
  writeFileSync(work("secret.txt"), "s")
  writeFileSync(work("open.txt"), "o")
  chmodSync(work("secret.txt"), 0)
  const promptId = world.prompt()
  await world.shell("echo x >> open.txt; echo y >> closed/a.txt; chmod 000 closed; chmod 000 open.txt")
  const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  // Its folder can be entered again, so now it can be seen and brought back.
  const again = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  const short = (paths: readonly string[] = []): string[] => paths.map((one) => one.slice(work("").length + 1)).sort()
  return {
    notices: notices(),
    back: back.ok ? [short(back.value?.written), short(back.value?.kept)] : back.failure,
    again: again.ok ? [short(again.value?.written), short(again.value?.kept)] : again.failure,
    closed: readFileSync(work("closed/a.txt"), "utf8"),
  }
}

const found = what === "full-store" ? await fullStore() : what === "full-work" ? await fullWork() : await denied()
process.stdout.write(JSON.stringify(found))

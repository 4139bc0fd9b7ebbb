/** Do calls that only read run side by side? Five searches, five files and five commands, each held up for a while. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gaps, program, runAgent } from "./kit/agent.ts"
import { calls, reads, runs, says, searches, type Use } from "./kit/answers.ts"
import { median } from "./kit/figures.ts"
import { type BenchPlace, makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const atOnce = 5
const steps = 4
const heldMs = 400
const commandMs = 500
const found = "found-after-a-while.txt"

answer(await searching(), await reading(), await running())

async function searching() {
  const place = makePlace()
  const slowSearch = putSlowSearch(place)
  const run = await asked(place, () => Array.from({ length: atOnce }, (_, i) => searches(`word ${i}`)))
  const floor = await floorOf(() => together(() => [slowSearch]))
  place.remove()
  // Should the program one day look at what it searches with, this must not quietly measure something else.
  if (!run.exchanges.at(-1)?.body.includes(found)) throw new Error("The slow search was not used.")
  return rowOf({
    what: `${atOnce} slow searches at once, ${heldMs} ms each`,
    ours: median(gaps(run)),
    unit: "ms",
    floor: { name: "bare spawn of the same", value: floor },
    toReach: heldMs + 20,
  })
}

/** Puts a program that only waits where the one that searches is unpacked to. */
function putSlowSearch({ state, work }: BenchPlace): string {
  const real = resolve(import.meta.dir, `../node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`)
  const digest = new Bun.CryptoHasher("sha256").update(readFileSync(real)).digest("hex")
  const path = join(state, "cache", `rg-${digest.slice(0, 16)}`)
  mkdirSync(join(state, "cache"), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nsleep ${heldMs / 1000}\nprintf '%s\\0' '${join(work, found)}'\n`)
  writeFileSync(join(work, found), "")
  chmodSync(path, 0o700)
  return path
}

/** Every open of a file is held up by strace, by whichever thread; files that were read once are not opened again. */
async function reading() {
  const what = `${atOnce} slow files at once, ${heldMs} ms to open each`
  const strace = Bun.which("strace")
  if (strace === null) return rowOf({ what, ours: Number.NaN, unit: "ms" })
  const place = makePlace({ files: atOnce * steps })
  // Files that were just written are looked at twice.
  await Bun.sleep(200)
  const held = `inject=openat:delay_enter=${heldMs * 1000}`
  const slow = place.files.flatMap((path) => ["-P", path])
  const slowly = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=openat", "-e", held, ...slow]
  const run = await asked(place, (step) => place.files.slice(step * atOnce, (step + 1) * atOnce).map(reads), [
    ...slowly,
    program,
    "-p",
    "go on",
  ])
  const floor = await floorOf(() => together((i) => [...slowly, "/bin/cat", place.files[i] ?? ""]))
  place.remove()
  return rowOf({
    what,
    ours: median(gaps(run)),
    unit: "ms",
    floor: { name: "cat of the same", value: floor },
    toReach: heldMs + 40,
  })
}

/** The first five of a session count as well: they are the most of some sessions. */
async function running() {
  const place = makePlace()
  const run = await asked(place, () => Array.from({ length: atOnce }, () => runs(`sleep ${commandMs / 1000}`)))
  const floor = await floorOf(() => together(() => ["/bin/sleep", `${commandMs / 1000}`]))
  place.remove()
  return rowOf({
    what: `${atOnce} commands at once, ${commandMs} ms each, the first of a session`,
    ours: gaps(run)[0] ?? Number.NaN,
    unit: "ms",
    floor: { name: "bare spawn of the same", value: floor },
    toReach: commandMs + 50,
    note: `later ones ${Math.round(median(gaps(run).slice(1)))} ms`,
  })
}

function asked(place: BenchPlace, uses: (step: number) => readonly Use[], argv?: readonly string[]) {
  return runAgent({
    place,
    answers: [...Array.from({ length: steps }, (_, step) => [calls(step, ...uses(step))]), [says("Done.")]],
    bodies: "kept",
    ...(argv && { argv: () => argv }),
  })
}

async function floorOf(act: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < 3; i++) {
    const start = performance.now()
    await act()
    all.push(performance.now() - start)
  }
  return median(all)
}

function together(argv: (index: number) => string[]): Promise<unknown> {
  return Promise.all(
    Array.from({ length: atOnce }, (_, i) => Bun.spawn(argv(i), { stdio: ["ignore", "pipe", "ignore"] }).exited),
  )
}

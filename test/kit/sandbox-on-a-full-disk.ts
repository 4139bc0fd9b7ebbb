/** A sandbox with a disk that fills up and is freed again; the arguments are where it keeps its files, where commands have theirs, that disk, and where to write. */

import { appendFileSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

const [own = "", temporary = "", disk = "", work = ""] = process.argv.slice(2)
const sandbox = openSandbox({
  platform: process.platform,
  ids: systemIds,
  clock: systemClock,
  registry: join(work, "placeholders"),
  folder: join(own, "sandbox"),
  confine: () => confinePath({ cacheFolder: work, pid: process.pid }),
})

let why = ""

/** Whether the program was started, and whether it did anything. */
async function run(name: string): Promise<readonly boolean[]> {
  const wrapped = await sandbox.wrap({
    program: { file: "/bin/touch", argv: [join(work, name)], cwd: work, env: {} },
    policy: {
      name: "workspace",
      writes: [{ path: work, because: "the test says so" }],
      held: [],
      hidden: [],
      temp: { folder: join(temporary, "tmp"), asTmp: true },
      network: { mode: "off", because: "the test says so" },
      limits: { processes: 100, memoryBytes: 1 << 30 },
    },
    needed: { reads: [], writes: [] },
  })
  if (!wrapped.ok) {
    why = wrapped.failure.why
    return [false, existsSync(join(work, name))]
  }
  const { program, started, finish } = wrapped.value
  const child = Bun.spawn([program.file, ...program.argv], { cwd: work, env: program.env, stderr: "ignore" })
  await child.exited
  const result = [started(), existsSync(join(work, name))]
  finish()
  return result
}

const before = await run("one")
const filler = join(disk, "filler")
for (let size = 1 << 14; size > 0; size >>= 1)
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(size))
  } catch {
    continue
  }
const full = await run("two")
const check = await sandbox.check("again")
rmSync(filler)
const freed = await run("three")
process.stdout.write(`${JSON.stringify({ before, full, why, check, freed, again: (await sandbox.check()).works })}\n`)
await sandbox.close()

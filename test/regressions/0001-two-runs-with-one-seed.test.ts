/** Two processes whose ids repeat (a replay, two tests with one seed) ended each other's commands when one of them closed. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const other = `
  import { openProcesses } from "#ground/workspace/processes/process.ts"
  import { systemClock } from "#lib/clock.ts"
  import { seededIds } from "#lib/ids.ts"
  const [scratch] = process.argv.slice(1)
  const processes = openProcesses({ clock: systemClock, ids: seededIds(1), scratch, graceMs: 500, drainMs: 100 })
  const limits = { characters: 1000, fileBytes: 1000 }
  await processes.run({ file: "/bin/true", argv: [], cwd: "/", env: {}, timeoutMs: 5000, limits, outputFile: scratch + ".out", signal: new AbortController().signal })
  await processes.close()
`

const root = resolve(import.meta.dir, "../..")

test("closing one leaves the other's commands alone", async () => {
  using mine = temporaryFolder()
  using theirs = temporaryFolder()
  const processes = openProcesses({
    clock: systemClock,
    ids: seededIds(1),
    scratch: mine.join("run"),
    graceMs: 500,
    drainMs: 100,
  })
  const running = processes.run({
    file: "/bin/sh",
    argv: ["-c", `until [ -e ${mine.join("go")} ]; do sleep 0.02; done; echo survived`],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 30_000,
    limits: { characters: 1000, fileBytes: 1000 },
    outputFile: mine.join("out"),
    signal: new AbortController().signal,
  })
  const child = Bun.spawn([process.execPath, "-e", other, theirs.join("run")], { cwd: root, stderr: "inherit" })
  expect(await child.exited).toBe(0)
  await Bun.write(mine.join("go"), "")
  const ran = await running
  expect(ran.ok && ran.value.exitCode).toBe(0)
  await processes.close()
})

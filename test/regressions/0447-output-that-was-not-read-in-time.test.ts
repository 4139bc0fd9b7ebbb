/** What a command or hook had printed was lost when the machine was so busy that the time for reading it passed first. */

import { expect, test } from "bun:test"
import { existsSync, rmSync } from "node:fs"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const drainMs = 7

/**
 * As when this process is kept from the processor from the end of a program on, until the time for its output is over:
 * what it left behind has printed everything meanwhile, and says so in a file.
 */
const tooBusyUntil = (printed: string): Clock => ({
  ...systemClock,
  after(ms, callback) {
    if (ms !== drainMs) return systemClock.after(ms, callback)
    while (!existsSync(printed)) Bun.sleepSync(5)
    rmSync(printed)
    // Its last act was to say so.
    Bun.sleepSync(50)
    let isCancelled = false
    queueMicrotask(() => isCancelled || callback())
    return () => void (isCancelled = true)
  },
})

const programPrinting = (printed: string) => ({
  file: "/bin/sh",
  argv: ["-c", `{ sleep 0.02; head -c 50000 /dev/zero | tr '\\0' x; exec >&- 2>&-; : > ${printed}; } &`],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 60_000,
  signal: new AbortController().signal,
})

test("all of it is read before anybody is told of the end", async () => {
  using folder = temporaryFolder()
  const printed = folder.join("printed")
  const program = programPrinting(printed)
  const processes = openProcesses({
    clock: tooBusyUntil(printed),
    ids: systemIds,
    scratch: folder.join("scratch"),
    graceMs: 500,
    drainMs,
  })
  for (let run = 0; run < 3; run++) {
    const limits = { characters: 1_000_000, fileBytes: 1_000_000 }
    const ran = await processes.run({ ...program, limits, outputFile: folder.join(`${run}.out`) })
    expect(ran).toMatchObject({ ok: true, value: { leftBehind: "nothing", output: { text: "x".repeat(50_000) } } })
    const fed = await processes.feed({ ...program, input: "", mostBytes: 1_000_000 })
    const ended = fed.ok ? await fed.value.ended : undefined
    expect(ended?.stdout.length).toBe(50_000)
  }
  await processes.close()
})

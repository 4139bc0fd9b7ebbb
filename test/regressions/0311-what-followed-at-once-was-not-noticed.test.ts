/**
 * The runtime reports one event for all that happens in a folder within a few milliseconds, and reports it at the first. Whoever looked then
 * and waited for the next event saw neither the last lines of a log nor a file that was written with them.
 */

import { expect, test } from "bun:test"
import { appendFileSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { watchFolder } from "#lib/state-file.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("the last of several quick changes is seen", async () => {
  using folder = temporaryFolder()
  for (let round = 0; round < 10; round++) {
    const place = join(folder.path, String(round))
    mkdirSync(place)
    const file = join(place, "log")
    let seen = 0
    const looks: string[] = []
    const watcher = watchFolder(place, (name) => {
      seen = statSync(file).size
      looks.push(`${name} at ${Date.now()}: ${seen}`)
    })
    const writer = Bun.spawn([process.execPath, "-e", script, file], { stdio: ["ignore", "ignore", "inherit"] })
    expect(await writer.exited).toBe(0)
    for (let pauses = 0; seen < statSync(file).size; pauses++) {
      // It hung once on a busy machine, and nobody knew where.
      if (pauses === 3_000) throw new Error(`Not seen at ${Date.now()} in round ${round}: ${looks.join("; ")}`)
      await Bun.sleep(10)
    }
    watcher.close()
    appendFileSync(file, "after the end")
  }
})

/** Waits for nothing between its lines but chance. */
const script = `
  const { appendFileSync } = require("node:fs")
  for (let line = 0; line < 6; line++) appendFileSync(process.argv[1], "line\\n")
`

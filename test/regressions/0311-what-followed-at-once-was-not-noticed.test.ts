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
    const watcher = watchFolder(place, () => void (seen = statSync(file).size))
    const writer = Bun.spawn([process.execPath, "-e", script, file], { stdio: ["ignore", "ignore", "inherit"] })
    expect(await writer.exited).toBe(0)
    while (seen < statSync(file).size) await Bun.sleep(10)
    watcher.close()
    appendFileSync(file, "after the end")
  }
})

/** Waits for nothing between its lines but chance. */
const script = `
  const { appendFileSync } = require("node:fs")
  for (let line = 0; line < 6; line++) appendFileSync(process.argv[1], "line\\n")
`

/**
 * A scan before a command ended after 20 s, whatever it had seen by then, and whoever interrupted the call waited for that.
 * Now nothing but an interrupt ends it, and then the command does not run.
 */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runs } from "#agent/words/footprint.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

test("an interrupt ends the scan before a command, which does not run", async () => {
  const interrupt = new AbortController()
  let isScanning = false
  // Whoever looks at a folder asks what time it is.
  const now = (): number => {
    if (isScanning) interrupt.abort()
    return systemClock.now()
  }
  const clock: Clock = { ...systemClock, now }
  await using world = openUndoWorld({ clock })
  for (let i = 0; i < 1000; i++) writeFileSync(join(world.root, `file-${i}`), "text")
  world.prompt()
  isScanning = true
  let hasRun = false
  const outcome = await world.act(runs("rm -rf ."), () => void (hasRun = true), interrupt.signal)
  expect([hasRun, outcome?.isError, outcome?.interrupted]).toEqual([false, true, "before"])

  isScanning = false
  await world.act(runs("true"), () => void (hasRun = true))
  expect(hasRun).toBe(true)
})

/** Watching a folder where the system cannot: it is looked at instead, and closing ends that. */

import { expect, test } from "bun:test"
import { EventEmitter } from "node:events"
import { type FSWatcher, watch, writeFileSync } from "node:fs"
import { watchFolder, type WatchPorts } from "#lib/state-file.ts"
import { openHandClock } from "../../kit/hand-clock.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

function openCase(more: (folder: string) => Partial<WatchPorts>) {
  const folder = temporaryFolder()
  const clock = openHandClock()
  const seen: (string | null)[] = []
  const ports = { clock, watch, isRemote: () => false, ...more(folder.path) }
  return { folder, clock, seen, watcher: watchFolder(folder.path, (name) => seen.push(name), ports) }
}

const refused = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code })
}

test("where it can, it tells at once and looks once more, and no timer runs after that", async () => {
  const { folder, seen, watcher, clock } = openCase(() => ({}))
  writeFileSync(folder.join("a"), "")
  while (!seen.includes("a")) await Bun.sleep(5)
  // The system may tell of one file twice; a look of the timer has no name.
  const looks = (): number => seen.filter((name) => name === null).length
  expect(looks()).toBe(0)
  await clock.pass(50)
  expect(looks()).toBe(1)
  await clock.pass(10_000)
  expect(looks()).toBe(1)
  watcher.close()
  folder[Symbol.dispose]()
})

test.each(["ENOSPC", "EMFILE", "ENOSYS"])(
  "without watches (%s) it looks every second until it is closed",
  async (code) => {
    const { folder, seen, watcher, clock } = openCase(() => ({ watch: refused(code) as unknown as typeof watch }))
    await clock.pass(3_000)
    expect(seen).toEqual([null, null, null])
    watcher.close()
    await clock.pass(3_000)
    expect(seen).toHaveLength(3)
    folder[Symbol.dispose]()
  },
)

test("a disk of another machine is looked at, because its changes are not told here", async () => {
  const { folder, seen, watcher, clock } = openCase(() => ({ isRemote: () => true }))
  await clock.pass(2_000)
  expect(seen).toEqual([null, null])
  watcher.close()
  folder[Symbol.dispose]()
})

test("a watch that breaks is replaced by looking, unless it was closed", async () => {
  const broken = Object.assign(new EventEmitter(), { close: () => {} })
  const { folder, seen, watcher, clock } = openCase(() => ({
    watch: (() => broken as unknown as FSWatcher) as unknown as typeof watch,
  }))
  broken.emit("error", new Error("gone"))
  await clock.pass(1_000)
  expect(seen).toEqual([null])
  watcher.close()
  broken.emit("error", new Error("late"))
  await clock.pass(5_000)
  expect(seen).toEqual([null])
  folder[Symbol.dispose]()
})

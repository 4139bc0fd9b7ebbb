/** Two processes that saved a key at the same moment could lose one of them: each wrote what it had read before. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { keptNames } from "#ground/settings/kept-key.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const program = `
import { keepKey } from ${JSON.stringify(resolve(import.meta.dir, "../../src/ground/settings/kept-key.ts"))}
const [state, who] = process.argv.slice(2)
for (let i = 0; i < 15; i++) {
  const kept = keepKey(state, "key", { name: who + i, baseUrl: "http://127.0.0.1:1/v1" })
  if (!kept.ok) throw new Error(kept.failure)
}
`

test("keys that several processes save at once are all there, and no lock is left", async () => {
  using folder = temporaryFolder()
  const script = folder.join("keep.ts")
  await Bun.write(script, program)
  const state = folder.join("state")
  const whose = ["a", "b", "c"]
  const runs = whose.map((who) => Bun.spawn([process.execPath, script, state, who], { stderr: "inherit" }).exited)
  expect(await Promise.all(runs)).toEqual([0, 0, 0])
  const names = whose.flatMap((who) => Array.from({ length: 15 }, (_, i) => `${who}${i}`))
  expect(keptNames(state).toSorted()).toEqual(names.toSorted())
  expect(await Bun.file(folder.join("state/key.json.lock")).exists()).toBe(false)
}, 60_000)

test("the lock of a process that is gone is no obstacle", async () => {
  using folder = temporaryFolder()
  const state = folder.join("state")
  const gone = Bun.spawn(["true"])
  await gone.exited
  await Bun.write(folder.join("state/key.json.lock"), String(gone.pid))
  const script = folder.join("keep.ts")
  await Bun.write(script, program)
  expect(await Bun.spawn([process.execPath, script, state, "a"], { stderr: "inherit" }).exited).toBe(0)
  expect(keptNames(state)).toHaveLength(15)
}, 60_000)

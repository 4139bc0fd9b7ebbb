/** Over a long day memory grew: ended background commands kept their processes, and every id of a call was kept as text. */

import { expect, test } from "bun:test"
import { heapStats } from "bun:jsc"
import fc from "fast-check"
import { openKnownIds } from "#ground/models/known-ids.ts"
import { runs } from "../kit/runs.ts"
import { openTestShell } from "../unit/ground/workspace/open-test-shell.ts"

const { signal } = new AbortController()
const most = 30

async function processes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    Bun.gc(true)
    await Bun.sleep(1)
  }
  return heapStats().objectTypeCounts["Subprocess"] ?? 0
}

test("an ended background command is remembered without its process", async () => {
  await using t = openTestShell()
  const before = await processes()
  for (let i = 0; i < most; i++) {
    const limits = { characters: 1000, fileBytes: 1e6 }
    const started = await t.shell.start({ command: `echo ${i}`, cwd: t.folder, signal, limits })
    if (!started.ok) throw new Error(JSON.stringify(started.failure))
    await t.background.wait(started.value.background.id, 60_000, signal)
  }
  expect(t.background.list().map(({ status, recent }) => [status, recent])).toEqual(
    Array.from({ length: most }, (_, i) => ["completed", `${i}\n`]),
  )
  // Some may still be on the stack.
  expect((await processes()) - before).toBeLessThan(most / 2)
})

test("a set of ids as numbers answers as one of texts", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 600 }), fc.array(fc.string()), (added, others) => {
      const [texts, ids] = [new Set(added), openKnownIds()]
      for (const id of added) ids.add(id)
      expect([...added, ...others].map(ids.has)).toEqual([...added, ...others].map((id) => texts.has(id)))
    }),
    runs(50),
  )
})

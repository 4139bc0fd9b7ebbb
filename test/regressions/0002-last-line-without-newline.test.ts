/** A log whose last line was written whole but for its newline: the entry counts, and the next one begins a line of its own. */

import { expect, test } from "bun:test"
import { readFileSync, truncateSync } from "node:fs"
import { inspectLog } from "#ground/transcript/salvage.ts"
import { unsealed } from "#ground/transcript/seal.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { says } from "../kit/script.ts"

test("a last line that lacks only its newline is kept, and the session continues on the next line", async () => {
  await using t = await openTestSession({ script: [says("First."), says("Second.")] })
  await t.prompt("one")
  await t.session.close()
  const before = t.entries()
  truncateSync(t.logPath, readFileSync(t.logPath).length - 1)

  await using again = await t.reopen()
  expect((await again.ask({ type: "about" })).notes).toEqual([])
  expect(again.entries()).toEqual(before)
  expect(await again.prompt("two")).toEqual({ reason: "completed" })

  await again.session.close()
  const lines = readFileSync(t.logPath, "utf8").split("\n").slice(0, -1)
  expect(lines.filter((line) => unsealed(line) === undefined)).toEqual([])
  expect(again.entries().slice(0, before.length)).toEqual([...before])
  expect(inspectLog(t.logPath)).toMatchObject({ ok: true, value: { damaged: [], tornBytes: 0, gaps: 0 } })
})

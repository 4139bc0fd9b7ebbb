/** One session, one process: whoever comes second is told, and changes nothing. */

import { expect, test } from "bun:test"
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { openTestSession } from "../../kit/open-test-session.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { says } from "../../kit/script.ts"

test("a second process is told who has the session", async () => {
  await using t = await openTestSession({ script: [says("Hello.")] })
  await t.prompt("hi")
  using place = openPlace()
  const log = join(place.state, "projects", "x", `${t.id}.jsonl`)
  mkdirSync(dirname(log), { recursive: true })
  copyFileSync(t.logPath, log)
  cpSync(`${t.logPath}.lock`, `${log}.lock`, { recursive: true })
  const argv = ["--resume", t.id, "-p", "me too"]

  const second = await runCodewright({ place, argv, scenario: [] })
  expect(second).toMatchObject({ code: 1, stdout: "", requests: [] })
  expect(second.stderr).toContain(
    `error: The session is already open, in process ${process.pid}. Close it there first.`,
  )
  expect(readFileSync(log)).toEqual(readFileSync(t.logPath))
  expect(existsSync(`${log}.lock`)).toBe(true)

  for (const owner of readdirSync(`${log}.lock`))
    renameSync(join(`${log}.lock`, owner), join(`${log}.lock`, "4194304 1"))
  const third = await runCodewright({ place, argv, scenario: ["Welcome back."] })
  expect(third).toMatchObject({ code: 0, stdout: "Welcome back.\n" })
  expect(existsSync(`${log}.lock`)).toBe(false)
})

test("the same process is told too, and the session that is open goes on", async () => {
  await using t = await openTestSession({ script: [says("Hello."), says("Still here.")] })
  await t.prompt("hi")
  expect(await t.openAgain()).toEqual({
    ok: false,
    failure: {
      kind: "in_use",
      message: `The session is already open, in process ${process.pid}. Close it there first.`,
    },
  })
  expect(await t.prompt("and now?")).toEqual({ reason: "completed" })
  await using again = await t.reopen()
  expect((await again.ask({ type: "about" })).notes).toEqual([])
})

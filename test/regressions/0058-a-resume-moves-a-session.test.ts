/** A resume moved a session into the folder it was called from, with its mode and what was allowed in the other folder. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says, write } from "../kit/script.ts"

const id = "0a1b2c3d-1111-4222-8333-444455556666"

const writes = (name: string) => [{ content: [{ tool: "Write", input: { file_path: name, content: "x\n" } }] }, "Done."]
const accepting = ["--permission-mode", "acceptEdits"]

for (const words of [id, "something unusual"])
  test.concurrent(`a session resumed by ${words} continues in its own folder, and says so`, async () => {
    using place = openPlace()
    const elsewhere = join(place.path, "elsewhere")
    mkdirSync(elsewhere)
    const first = ["-p", "something unusual", "--session-id", id, ...accepting]
    expect(await runCodewright({ place, argv: first, scenario: ["Begun."] })).toMatchObject({ code: 0 })
    const argv = ["-p", "write", "--resume", words]
    const run = await runCodewright({ place, cwd: elsewhere, argv, scenario: writes("new.txt") })
    expect(run).toMatchObject({ code: 0 })
    expect(run.stderr).toContain(`Continuing in ${place.work}`)
    expect([existsSync(join(place.work, "new.txt")), existsSync(join(elsewhere, "new.txt"))]).toEqual([true, false])
  })

test.concurrent("in its own folder a resume says nothing", async () => {
  using place = openPlace()
  await runCodewright({ place, argv: ["-p", "hello", "--session-id", id], scenario: ["Begun."] })
  for (const again of [["--resume", id], ["--continue"]])
    expect(await runCodewright({ place, argv: ["-p", "go on", ...again], scenario: ["Done."] })).toMatchObject({
      code: 0,
      stderr: "",
    })
})

test.concurrent("a session whose folder is gone is not continued elsewhere; a copy of it may be", async () => {
  using place = openPlace()
  const elsewhere = join(place.path, "elsewhere")
  mkdirSync(elsewhere)
  await runCodewright({ place, argv: ["-p", "hello", "--session-id", id, ...accepting], scenario: ["Begun."] })
  rmSync(place.work, { recursive: true })
  const argv = ["-p", "write", "--resume", id]
  const refused = await runCodewright({ place, cwd: elsewhere, argv, scenario: writes("new.txt") })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`no longer exists: ${place.work}`)
  expect(refused.stderr).toContain("--fork-session")
  const copy = await runCodewright({
    place,
    cwd: elsewhere,
    argv: [...argv, "--fork-session", "--output-format", "json"],
    scenario: writes("new.txt"),
  })
  // Accept edits stays behind: here nobody can be asked, so nothing is written.
  expect(linesOf(copy.stdout)).toMatchObject([{ permission_denials: [{ tool_name: "Write" }] }])
  expect(existsSync(join(elsewhere, "new.txt"))).toBe(false)
})

for (const mode of ["acceptEdits", "bypassPermissions", "dontAsk", "plan", "auto"] satisfies PermissionMode[])
  for (const how of ["reopen", "fork"] as const)
    test(`${mode} does not move to another folder by a ${how}, and stays in its own`, async () => {
      await using t = await openTestSession({ script: [says("Hello.")], mode, bypassAvailable: true })
      await t.prompt("hello")
      await using same = await t[how]({ mode: "default" })
      expect((await same.ask({ type: "state" })).mode).toBe(mode)
      const elsewhere = join(t.root, "../elsewhere")
      mkdirSync(elsewhere)
      await using moved = await same[how]({ mode: "default", place: { cwd: elsewhere } })
      expect((await moved.ask({ type: "state" })).mode).toBe("default")
      expect((await moved.ask({ type: "about" })).notes.join()).toContain("in another folder")
    })

test("a mode does not move after a clear either, nor does a rule that was given for the session", async () => {
  const command = "echo x >> count.txt"
  const asked: string[] = []
  await using t = await openTestSession({
    script: [calls(bash(command)), says("Done."), calls(bash(command), write("a.txt", "a\n")), says("Done.")],
    mode: "default",
    allow: [],
    answers(question) {
      asked.push(question.ask.kind)
      return { kind: "allow", grants: [{ rule: "Bash(echo x:*)", destination: "session" }] }
    },
  })
  await t.prompt("count")
  await t.session.submit({ type: "set_mode", mode: "acceptEdits" })
  await t.session.submit({ type: "clear" })
  await t.settled()
  expect((await t.ask({ type: "grants" })).length).toBeGreaterThan(0)
  const elsewhere = join(t.root, "../elsewhere")
  mkdirSync(elsewhere)
  await using moved = await t.fork({ place: { cwd: elsewhere } })
  expect((await moved.ask({ type: "state" })).mode).toBe("default")
  expect(await moved.ask({ type: "grants" })).toEqual([])
  const before = asked.length
  await moved.prompt("again")
  expect(asked.length - before).toBe(2)
})

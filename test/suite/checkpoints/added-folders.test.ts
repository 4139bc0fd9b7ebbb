/** Undo of what a command changes in a folder that an answer added: the folder goes back to how it was when it was added. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, write } from "../../kit/script.ts"

const beside = (t: TestSession, name: string): string => t.path(`../beside/${name}`)
const textOf = (path: string): string => readFileSync(path, "utf8")
const back = (t: TestSession, text: string): Promise<void> =>
  act(t, { type: "rewind", promptId: promptId(t, text), what: "files" })

const change = "echo changed > ../beside/a.txt; rm ../beside/b.txt; mkdir ../beside/d; echo new > ../beside/d/c.txt"

async function openBeside(script: Parameters<typeof openTestSession>[0]["script"]): Promise<TestSession> {
  const t: TestSession = await openTestSession({
    script,
    mode: "default",
    allow: [],
    answers: ({ ask }: Question): Answer =>
      JSON.stringify(ask).includes("beside") ? { kind: "allow", folders: [t.path("../beside")] } : { kind: "allow" },
  })
  mkdirSync(t.path("../beside"))
  for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(beside(t, name), `${name}\n`)
  return t
}

function expectBefore(t: TestSession): void {
  expect(["a.txt", "b.txt", "c.txt"].map((name) => textOf(beside(t, name)))).toEqual(["a.txt\n", "b.txt\n", "c.txt\n"])
  expect(existsSync(beside(t, "d"))).toBe(false)
}

test("the command whose answer added the folder is undone in it, and the rest of the folder stays", async () => {
  await using t = await openBeside([calls(bash(change)), says("Done.")])
  await t.prompt("change")
  expect(textOf(beside(t, "a.txt"))).toBe("changed\n")
  await back(t, "change")
  expectBefore(t)
})

test("the folder may be added when everything else was looked at before; going back further leaves it as it was found", async () => {
  await using t = await openBeside([calls(bash("echo one > one.txt")), says("One."), calls(bash(change)), says("Two.")])
  await t.prompt("first")
  await t.prompt("change")
  const summary = await t.session.ask({ type: "summary" })
  expect(summary).toMatchObject({
    ok: true,
    value: { created: [beside(t, "d/c.txt")], modified: [beside(t, "a.txt")] },
  })
  await back(t, "first")
  expectBefore(t)
  expect(existsSync(t.path("one.txt"))).toBe(false)
})

test("a resume covers the folder too: what it changes there and what was changed before", async () => {
  await using t = await openBeside([
    calls(bash(change)),
    says("One."),
    calls(bash("echo later > ../beside/c.txt; echo more > ../beside/e.txt")),
    says("Two."),
  ])
  await t.prompt("change")
  await using again = await t.reopen()
  await again.prompt("later")
  expect(textOf(beside(again, "c.txt"))).toBe("later\n")
  await back(again, "later")
  expect(textOf(beside(again, "c.txt"))).toBe("c.txt\n")
  expect(existsSync(beside(again, "e.txt"))).toBe(false)
  expect(textOf(beside(again, "a.txt"))).toBe("changed\n")
  await back(again, "change")
  expectBefore(again)
})

test("a folder that was added and is gone takes undo from nothing else", async () => {
  await using t = await openBeside([
    calls(bash("touch ../beside/x")),
    says("One."),
    calls(bash("echo two > two.txt")),
    says("Two."),
  ])
  await t.prompt("one")
  await t.session.close()
  Bun.spawnSync(["rm", "-r", t.path("../beside")])
  await using again = await t.reopen()
  await again.prompt("two")
  expect(again.read("two.txt")).toBe("two\n")
  await back(again, "two")
  expect(existsSync(again.path("two.txt"))).toBe(false)
})

test("a file outside of all folders that was there before is never removed by going back", async () => {
  await using t = await openTestSession({
    script: [
      calls(bash("echo one > one.txt")),
      says("One."),
      calls(read("../beside/a.txt"), write("../beside/new.txt", "new\n")),
      calls(write("../beside/a.txt", "changed\n")),
      says("Two."),
    ],
    mode: "bypassPermissions",
  })
  mkdirSync(t.path("../beside"))
  writeFileSync(beside(t, "a.txt"), "a.txt\n")
  await t.prompt("first")
  await t.prompt("second")
  expect(existsSync(beside(t, "new.txt"))).toBe(true)
  await back(t, "first")
  expect(textOf(beside(t, "a.txt"))).toBe("a.txt\n")
  expect(existsSync(beside(t, "new.txt"))).toBe(false)
})

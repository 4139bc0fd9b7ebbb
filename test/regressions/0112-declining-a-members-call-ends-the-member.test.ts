/** Esc on a member's question said "decline" and ended the member; now it declines, and another key stops the member. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import { openOnPaper } from "../faces/tui/on-paper.ts"
import { permission } from "../faces/tui/scenes.ts"
import { bash, calls, says } from "../kit/script.ts"
import { cast, logOf } from "../suite/subagents/cast.ts"
import { add, allIdle, create, done, heard, look, member, openTeamSession } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const escape = "\u001b"
const stopKey = "\u0018"
const asked: Question = {
  ...permission,
  agent: { id: "a1", type: "general-purpose", name: "ann", folder: "/w/crew-ann" },
}

const press = async (key: string): Promise<{ readonly answers: readonly unknown[]; readonly screen: string }> => {
  const paper = await openOnPaper(120)
  paper.ask(asked)
  await paper.pass(400)
  const screen = await paper.terminal.screen()
  await paper.type(key)
  await paper.pass(100)
  return { answers: paper.ops.map((op) => ("answer" in op ? op.answer : op)), screen }
}

test("the keys of the terminal", async () => {
  const { answers, screen } = await press(escape)
  expect(answers).toEqual([{ kind: "deny", interrupt: false }])
  expect(screen).toContain("Esc to decline · Ctrl+X to stop ann")
  expect(screen).toContain("Asked by ann, a member of the team, in the worktree crew-ann")
  expect((await press(stopKey)).answers).toEqual([{ kind: "deny", interrupt: true }])
})

const declines: Answer = { kind: "deny", interrupt: false }

test("a member whose call was declined keeps its task and goes on", async () => {
  await using t = await openTeamSession({
    answers: ({ ask }) => (ask.kind === "permission" ? declines : undefined),
    allow: [],
    script: cast({
      main: [calls(create), calls(add("one")), calls(member("ann")), ...Array.from({ length: 9 }, () => heard)],
      ann: [calls(bash("curl example.com")), calls(done("1")), says("Without it.")],
    }),
  })
  await t.prompt("go")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 2)
  expect((await look(t))?.members.map(({ state }) => state)).toEqual(["idle", "idle"])
  const told = (await logOf(t, "ann")).flatMap((entry) => (entry.kind === "result" ? [entry.content] : []))
  expect(told[0]).toBe(
    "The user declined this call and says: Do not try the same in another way. Continue without it, or say what you would need.",
  )
})

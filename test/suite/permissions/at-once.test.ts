/** Rules that the person adds while a session is open count at once, also for what waits to be answered. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { ok } from "#lib/result.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"
import { cast, logOf, task } from "../subagents/cast.ts"

const nobodyYet = (): undefined => undefined
const isQuestion = (event: Event): boolean => event.type === "question_open"
const rule = (behavior: "allow" | "ask" | "deny", text: string, destination = "session" as const): Op => ({
  type: "add_rule",
  behavior,
  rule: text,
  destination,
})
const decisions = (t: TestSession): readonly string[] => t.story().filter((line) => line.startsWith("decision"))

test("a rule that allows settles the question that waits, and the call runs by it", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), calls(bash("touch more")), says("Done.")],
    mode: "default",
    allow: [],
    answers: nobodyYet,
  })
  t.say("make it")
  await t.until(isQuestion)
  expect(await t.session.submit(rule("allow", "Bash(touch:*)"))).toEqual(ok(undefined))
  await t.settled()
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false])
  expect(decisions(t)).toEqual(["decision allow Bash by rule", "decision allow Bash by rule"])
  expect(await t.ask({ type: "questions" })).toEqual([])
  const answers = t.entries().flatMap((entry) => (entry.kind === "answer" ? [entry.answer] : []))
  expect(answers).toEqual([{ kind: "unanswered", why: "a rule that was added meanwhile decides" }])
})

test("a rule that denies settles it too, and one about something else leaves it open", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), says("Refused.")],
    mode: "default",
    allow: [],
    answers: nobodyYet,
  })
  t.say("make it")
  await t.until(isQuestion)
  await t.session.submit(rule("allow", "Bash(mkdir:*)"))
  expect(await t.ask({ type: "questions" })).toHaveLength(1)
  await t.session.submit(rule("deny", "Bash(touch:*)"))
  await t.settled()
  expect(t.results()[0]).toMatchObject({ isError: true, denied: {} })
  expect(decisions(t)).toEqual(["decision deny Bash by rule"])
})

test("an answer that brings a rule settles the questions of other agents that it covers", async () => {
  const asked = new Set<string>()
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha"), task("beta")), says("Done.")],
      alpha: [calls(bash("touch one")), says("One.")],
      beta: [calls(bash("touch two")), says("Two.")],
    }),
    mode: "default",
    allow: [],
    answers: nobodyYet,
  })
  t.say("go")
  await t.until((event) => event.type === "question_open" && asked.add(event.question.id).size === 2)
  const [first] = await t.ask({ type: "questions" })
  await t.session.submit({
    type: "answer",
    questionId: first?.id ?? "",
    answer: { kind: "allow", grants: [{ rule: "Bash(touch:*)", destination: "session" }] },
  })
  await t.settled()
  for (const name of ["one", "two"]) expect(await Bun.file(t.path(name)).exists()).toBe(true)
  const reasons = await Promise.all(["alpha", "beta"].map((word) => logOf(t, word)))
  const kinds = reasons.flat().flatMap((entry) => (entry.kind === "decision" ? [entry.reason.kind] : []))
  expect(kinds.toSorted()).toEqual(["person", "rule"])
})

test("a rule of the person's own that asks or denies counts for what is shown, and after a resume", async () => {
  const script = [
    calls(read("secret.txt")),
    says("Refused."),
    calls(use("Grep", { pattern: "hush", output_mode: "files_with_matches" })),
    says("Looked."),
  ]
  await using t = await openTestSession({
    script,
    mode: "default",
    files: { "secret.txt": "hush\n", "a.txt": "hush\n" },
  })
  await t.session.submit(rule("deny", "Read(secret.txt)"))
  await t.prompt("read it")
  expect(t.results()[0]).toMatchObject({ isError: true, denied: {} })
  await using again = await t.reopen()
  await again.prompt("look")
  expect(again.results().at(-1)?.content).toContain("a.txt")
  expect(again.results().at(-1)?.content).not.toContain("secret.txt")
  expect(await again.ask({ type: "grants" })).toEqual([
    { rule: "Read(secret.txt)", destination: "session", behavior: "deny" },
  ])
})

test("it is saved where it was wanted, and one that cannot be understood or would allow anything is refused", async () => {
  await using t = await openTestSession({ script: [says("Hi.")], mode: "default", allow: [] })
  const local = { ...rule("deny", "Bash(rm:*)"), destination: "local settings" } as Op
  expect(await t.session.submit(local)).toEqual(ok(undefined))
  expect(JSON.parse(readFileSync(t.path(".codewright/settings.local.json"), "utf8"))).toEqual({
    permissions: { deny: ["Bash(rm:*)"] },
  })
  expect(await t.session.submit(rule("allow", "Bash(rm"))).toMatchObject({ ok: false, failure: { kind: "rule" } })
  expect(await t.session.submit(rule("allow", "Bash(python3 -)"))).toMatchObject({
    ok: false,
    failure: { kind: "rule" },
  })
})

test("/permissions add gives a rule where there is no panel", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), says("Refused.")],
    mode: "default",
    allow: ["Bash"],
  })
  const said = await t.ask({ type: "command", name: "permissions", args: "add deny Bash(touch:*)" })
  expect(said?.ops).toEqual([rule("deny", "Bash(touch:*)")])
  for (const op of said?.ops ?? []) await t.session.submit(op)
  await t.prompt("make it")
  expect(t.results()[0]).toMatchObject({ isError: true, denied: {} })
  const wrong = await t.ask({ type: "command", name: "permissions", args: "add Bash(touch:*)" })
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("Write /permissions add allow|ask|deny") })
})

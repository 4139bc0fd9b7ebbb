/**
 * A command that cannot be undone is asked about although accept-edits mode allows it. Any rule that was added while
 * the question waited let the command run.
 */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"
import { lastingFolder } from "../kit/tmp.ts"
import { unrecordingHelper } from "../kit/undo/unrecording-helper.ts"

const helpers = lastingFolder()

const isQuestion = (event: Event): boolean => event.type === "question_open"
const rule = (behavior: "allow" | "deny", text: string): Op => ({
  type: "add_rule",
  behavior,
  rule: text,
  destination: "session",
})

async function asking(command = "rm -rf dist"): Promise<{ readonly t: TestSession; readonly turn: Promise<unknown> }> {
  const t = await openTestSession({
    script: [calls(bash(command)), says("Done.")],
    files: { "x/y": "", "dist/out": "made\n" },
    mode: "acceptEdits",
    allow: [],
    answers: () => undefined,
    // Nor can it be recorded.
    place: { confine: () => unrecordingHelper(helpers) },
  })
  Bun.spawnSync(["bash", "-c", "seq -f 'x/%g' 20100 | xargs touch"], { cwd: t.root })
  const turn = t.prompt("clean up")
  await t.until(isQuestion)
  return { t, turn }
}

test("a rule about something else leaves the question open", async () => {
  const { t, turn } = await asking()
  await using _ = t
  await t.session.submit(rule("allow", "Bash(echo:*)"))
  await t.session.submit(rule("deny", "Bash(curl:*)"))
  const [question] = await t.session.ask({ type: "questions" })
  expect(existsSync(t.path("dist/out"))).toBe(true)
  await t.session.submit({ type: "answer", questionId: question?.id ?? "", answer: { kind: "deny", interrupt: false } })
  await turn
  expect(existsSync(t.path("dist/out"))).toBe(true)
})

test("a rule that denies the command settles it", async () => {
  const { t, turn } = await asking()
  await using _ = t
  await t.session.submit(rule("deny", "Bash(rm:*)"))
  await turn
  expect(existsSync(t.path("dist/out"))).toBe(true)
})

test("a rule that allows the command settles it", async () => {
  const { t, turn } = await asking("mv dist/out dist/moved")
  await using _ = t
  await t.session.submit(rule("allow", "Bash(mv:*)"))
  await turn
  expect(existsSync(t.path("dist/moved"))).toBe(true)
})

test("no rule is wide enough for what destroys something", async () => {
  const { t, turn } = await asking()
  await using _ = t
  await t.session.submit(rule("allow", "Bash(rm:*)"))
  const [question] = await t.session.ask({ type: "questions" })
  await t.session.submit({ type: "answer", questionId: question?.id ?? "", answer: { kind: "deny", interrupt: false } })
  await turn
  expect(existsSync(t.path("dist/out"))).toBe(true)
})

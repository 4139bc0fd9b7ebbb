/** A rule that the person gives with their answer: what it covers, where it is kept, and how long it holds. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { GrantDestination } from "#agent/words/permission.ts"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

type Ask = QuestionAsk & { readonly kind: "permission" }

function always(destination: GrantDestination, asked: Ask[], own?: string): (question: Question) => Answer {
  return ({ ask }) => {
    if (ask.kind !== "permission") return { kind: "unanswered", why: "not this" }
    asked.push(ask)
    return { kind: "allow", remember: { rule: own ?? ask.suggestedRule ?? "", destination } }
  }
}

test("always on a compound command covers the part that was asked about, and nothing else", async () => {
  const asked: Ask[] = []
  await using t = await openTestSession({
    script: [
      calls(bash("ls && git init -q sub")),
      calls(bash("git init -q other")),
      calls(bash("ls && rm -rf sub")),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    answers: always("session", asked),
  })
  await t.prompt("go")
  expect(asked.map(({ parts, suggestedRule, risks }) => ({ parts, suggestedRule, risks: risks?.length }))).toEqual([
    {
      parts: [
        { text: "ls", needsConsent: false, why: "only reads" },
        { text: "git init -q sub", needsConsent: true, why: expect.any(String), rule: "Bash(git init:*)" },
      ],
      suggestedRule: "Bash(git init:*)",
      risks: undefined,
    },
    {
      parts: [
        { text: "ls", needsConsent: false, why: "only reads" },
        { text: "rm -rf sub", needsConsent: true, why: expect.any(String) },
      ],
      suggestedRule: undefined,
      risks: 1,
    },
  ])
  expect(t.story().filter((line) => /^(?:grant|decision|notice)/.test(line))).toEqual([
    "grant",
    "decision allow Bash by person",
    "decision allow Bash by rule",
    expect.stringContaining("notice The rule was not saved"),
    "decision allow Bash by person",
  ])
})

test("a command in several parts is allowed part by part, and what destroys is asked about every time", async () => {
  const asked: Ask[] = []
  await using t = await openTestSession({
    script: [
      calls(bash("git init -q a && mkdir -p b && rm -rf a")),
      calls(bash("git init -q c && touch d")),
      calls(bash("mkdir -p e")),
      calls(bash("rm -rf c")),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    answers({ ask }) {
      if (ask.kind !== "permission") return { kind: "unanswered", why: "not this" }
      asked.push(ask)
      const rules = (ask.parts ?? []).flatMap(({ rule }) => rule ?? [])
      return { kind: "allow", grants: rules.map((rule) => ({ rule, destination: "session" })) }
    },
  })
  await t.prompt("go")
  expect(
    asked.map(({ parts = [] }) => parts.map(({ text, needsConsent, rule }) => [text, needsConsent, rule])),
  ).toEqual([
    [
      ["git init -q a", true, "Bash(git init:*)"],
      ["mkdir -p b", true, "Bash(mkdir -p b)"],
      ["rm -rf a", true, undefined],
    ],
    [
      ["git init -q c", false, undefined],
      ["touch d", true, "Bash(touch d)"],
    ],
    [],
    [],
  ])
  expect(asked[0]?.destinations).toContain("session")
  expect(asked[1]?.parts?.[0]?.why).toBe("allowed by Bash(git init:*) (session)")
})

test("a grant for the session holds after a resume", async () => {
  const asked: Ask[] = []
  const script = [calls(bash("git init -q a")), says("One."), calls(bash("git init -q b")), says("Two.")]
  await using first = await openTestSession({ script, mode: "default", allow: [], answers: always("session", asked) })
  await first.prompt("one")
  await using second = await first.reopen()
  await second.prompt("two")
  expect(asked).toHaveLength(1)
  expect(existsSync(second.path("b/.git"))).toBe(true)
  expect(existsSync(second.path(".codewright"))).toBe(false)
})

test.each([
  ["local settings", "project/.codewright/settings.local.json"],
  ["project settings", "project/.codewright/settings.json"],
  ["user settings", "state/settings.json"],
] as const)("a grant for the %s is kept there, holds at once, and is not brought back by the log", async (to, file) => {
  const asked: Ask[] = []
  const script = [
    calls(bash("git init -q a")),
    calls(bash("git init -q b")),
    says("One."),
    calls(bash("git init -q c")),
    says("Two."),
  ]
  await using t = await openTestSession({ script, mode: "default", allow: [], answers: always(to, asked) })
  await t.prompt("one")
  expect(asked).toHaveLength(1)
  const path = join(t.root, "..", file)
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ permissions: { allow: ["Bash(git init:*)"] } })
  // The test opens sessions without reading files, as if the person had taken the rule out again.
  await using again = await t.reopen()
  await again.prompt("two")
  expect(asked).toHaveLength(2)
})

test("a rule that nobody understands is not kept, and the call still runs", async () => {
  await using t = await openTestSession({
    script: [calls(bash("git init -q a")), says("Done.")],
    mode: "default",
    allow: [],
    answers: always("user settings", [], "Bash(x"),
  })
  await t.prompt("go")
  expect(existsSync(t.path("a/.git"))).toBe(true)
  expect(t.entries().some(({ kind }) => kind === "grant")).toBe(false)
  expect(existsSync(join(t.root, "../state/settings.json"))).toBe(false)
})

/** Lines from a person: who gets them, and what they mean as an answer. */

import { describe, expect, test } from "bun:test"
import type { AskingAgent } from "#agent/words/child.ts"
import { reviewCheck } from "#agent/words/gates.ts"
import type { GrantDestination } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { readAnswer } from "#faces/lines/answer.ts"
import { openLineInput } from "#faces/lines/input.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"

const permission: QuestionAsk & { readonly kind: "permission" } = {
  kind: "permission",
  callId: "c",
  tool: "Bash",
  title: "Bash x",
  input: {},
  footprint: { reads: [], writes: [], runs: [], reaches: [], asks: false, alone: false, effect: "none" },
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It would run.", trace: [] },
}

/** A person who types each line so many milliseconds after the one before. */
async function answered(
  ask: QuestionAsk,
  lines: readonly (readonly [afterMs: number, line: string | "end" | "withdrawn"])[],
  agent?: AskingAgent,
) {
  let now = 0
  const clock: Clock = { now: () => now, sleep: async () => {}, after: () => () => {} }
  const withdrawn = new AbortController()
  const shown: string[] = []
  const input = openLineInput({ show: (words) => shown.push(words) }, () => {})
  const answer = readAnswer({ ask, ...optional("agent", agent) }, { input, clock, signal: withdrawn.signal })
  for (const [afterMs, line] of lines) {
    await Promise.resolve()
    await Bun.sleep(0)
    now += afterMs
    if (line === "end") input.end()
    else if (line === "withdrawn") withdrawn.abort()
    else input.push(line)
  }
  return { answer: await answer, asked: shown.length }
}

describe("an answer", () => {
  const cases: readonly (readonly [line: string, answer: Answer | undefined])[] = [
    ["yes", { kind: "allow" }],
    [" Y ", { kind: "allow" }],
    ["no", { kind: "deny", interrupt: true }],
    ["N", { kind: "deny", interrupt: true }],
    ["1 and keep the names", { kind: "allow", words: "keep the names" }],
    ["yes but with sed", { kind: "deny", words: "yes but with sed", interrupt: false }],
    ["end", { kind: "unanswered", why: "the input ended" }],
    ["withdrawn", undefined],
  ]
  for (const [line, answer] of cases)
    test(line, async () => {
      expect(await answered(permission, [[1_000, line]])).toEqual({ answer, asked: 1 })
    })

  const rememberable: QuestionAsk = {
    ...permission,
    suggestedRule: "Bash(npm test:*)",
    destinations: ["session", "local settings", "project settings", "user settings"],
  }
  const grants: readonly (readonly [line: string, answer: Answer])[] = [
    ["2", { kind: "allow", grants: [{ rule: "Bash(npm test:*)", destination: "session" }] }],
    ["2 local", { kind: "allow", grants: [{ rule: "Bash(npm test:*)", destination: "local settings" }] }],
    ["2 user Bash(npm test)", { kind: "allow", grants: [{ rule: "Bash(npm test)", destination: "user settings" }] }],
    ["2 Edit(src/**)", { kind: "allow", grants: [{ rule: "Edit(src/**)", destination: "session" }] }],
    ["1", { kind: "allow" }],
    ["3 use sed", { kind: "deny", words: "use sed", interrupt: false }],
    ["always", { kind: "allow", grants: [{ rule: "Bash(npm test:*)", destination: "session" }] }],
    ["always local", { kind: "allow", grants: [{ rule: "Bash(npm test:*)", destination: "local settings" }] }],
    [
      "always user Bash(npm test)",
      { kind: "allow", grants: [{ rule: "Bash(npm test)", destination: "user settings" }] },
    ],
    ["always Edit(src/**)", { kind: "allow", grants: [{ rule: "Edit(src/**)", destination: "session" }] }],
    ["always use sed", { kind: "deny", words: "always use sed", interrupt: false }],
    ["yes", { kind: "allow" }],
  ]
  for (const [line, answer] of grants)
    test(`${line}, where a rule may be kept`, async () => {
      expect(await answered(rememberable, [[1_000, line]])).toEqual({ answer, asked: 1 })
    })

  const inParts: QuestionAsk = {
    ...permission,
    parts: [
      { text: "ls", needsConsent: false, why: "it only reads" },
      { text: "npm run lint", needsConsent: true, why: "it may change files", rule: "Bash(npm run lint:*)" },
      { text: "rm -r dist", needsConsent: true, why: "whole folders are removed" },
      { text: "npm test", needsConsent: true, why: "it may change files", rule: "Bash(npm test:*)" },
    ],
    destinations: ["session", "local settings"],
  }
  const lint = "Bash(npm run lint:*)"
  const tests = "Bash(npm test:*)"
  const byPart: readonly (readonly [line: string, rules: readonly string[], destination: GrantDestination])[] = [
    ["always", [lint, tests], "session"],
    ["2", [lint, tests], "session"],
    ["2 b", [tests], "session"],
    ["2 a, b", [lint, tests], "session"],
    ["2 local a", [lint], "local settings"],
    ["2 local", [lint, tests], "local settings"],
    ["2 Bash(npm run:*)", ["Bash(npm run:*)"], "session"],
  ]
  for (const [line, rules, destination] of byPart)
    test(`${line}, of a command in parts`, async () => {
      const said = await answered(inParts, [[1_000, line]])
      expect(said.answer).toEqual({ kind: "allow", grants: rules.map((rule) => ({ rule, destination })) })
    })

  test.each(["2 c", "9", "2 everywhere", "1 maybe"])("%s is no answer, and asked for again", async (line) => {
    const said = await answered(inParts, [
      [1_000, line],
      [1_000, "2 a"],
    ])
    expect(said).toEqual({ answer: { kind: "allow", grants: [{ rule: lint, destination: "session" }] }, asked: 2 })
  })

  test("no, then what to do differently, or nothing", async () => {
    const words = [
      [1_000, "2"],
      [1, "use sed"],
    ] as const
    expect((await answered(permission, words)).answer).toEqual({ kind: "deny", words: "use sed", interrupt: false })
    const nothing = [
      [1_000, "2"],
      [1, ""],
    ] as const
    expect((await answered(permission, nothing)).answer).toEqual({ kind: "deny", interrupt: true })
  })

  test("an edit: all of them from here on", async () => {
    const edit: QuestionAsk = {
      ...rememberable,
      footprint: { ...permission.footprint, writes: ["/a"] },
      suggestions: { rules: [], mode: "acceptEdits" },
      suggestedRule: "Edit(./a)",
    }
    expect((await answered(edit, [[1_000, "2"]])).answer).toEqual({ kind: "allow", mode: "acceptEdits" })
    expect((await answered(edit, [[1_000, "3"]])).answer).toEqual({
      kind: "allow",
      grants: [{ rule: "Edit(./a)", destination: "session" }],
    })
  })

  test("always is no answer where no rule may be kept", async () => {
    expect((await answered(permission, [[1_000, "always"]])).answer).toEqual({
      kind: "deny",
      words: "always",
      interrupt: false,
    })
  })

  test("that is blank, or comes before the question can have been read, is asked for again", async () => {
    const said = await answered(permission, [
      [299, "yes"],
      [500, "  "],
      [1, "no"],
    ])
    expect(said).toEqual({ answer: { kind: "deny", interrupt: true }, asked: 3 })
  })

  test("to several choices: a number, or one's own words", async () => {
    const options = [
      { label: "Red", description: "" },
      { label: "Blue", description: "" },
    ]
    const questions = ["First?", "Second?"].map((question) => ({ question, header: "", options, multiSelect: false }))
    const said = await answered({ kind: "choice", callId: "c", questions }, [
      [400, "2"],
      [1, "green"],
    ])
    expect(said.answer).toEqual({ kind: "choices", answers: { "First?": "Blue", "Second?": "green" } })
    const back = await answered({ kind: "choice", callId: "c", questions }, [
      [400, "2"],
      [1, "back"],
      [1, "1"],
      [1, "green"],
    ])
    expect(back.answer).toEqual({ kind: "choices", answers: { "First?": "Red", "Second?": "green" } })
  })
})

describe("lines", () => {
  const never = new AbortController().signal

  test("go to whoever asked, otherwise to whoever takes the rest", async () => {
    const unasked: string[] = []
    const input = openLineInput({ show: () => {} }, (line) => unasked.push(line))
    input.push("early")
    const first = input.ask("> ", never)
    input.push("first")
    input.push("between")
    expect(await first).toBe("first")
    expect(unasked).toEqual(["early", "between"])
  })

  test("of several who ask, the last one is answered first", async () => {
    const input = openLineInput({ show: () => {} }, () => {})
    const prompt = input.ask("> ", never)
    const question = input.ask("? ", never)
    input.push("yes")
    expect(await question).toBe("yes")
    input.push("next")
    expect(await prompt).toBe("next")
  })

  test("after the end there are none, and nothing is shown", async () => {
    const shown: string[] = []
    const input = openLineInput({ show: (words) => shown.push(words) }, () => {})
    const open = input.ask("> ", never)
    input.end()
    expect(await open).toBeUndefined()
    expect(await input.ask("again> ", never)).toBeUndefined()
    expect(shown).toEqual(["> "])
  })

  test("a question that was withdrawn leaves the next line to others", async () => {
    const unasked: string[] = []
    const withdrawn = new AbortController()
    const input = openLineInput({ show: () => {} }, (line) => unasked.push(line))
    const open = input.ask("? ", withdrawn.signal)
    withdrawn.abort()
    expect(await open).toBeUndefined()
    input.push("late")
    expect(unasked).toEqual(["late"])
    expect(await input.ask("? ", withdrawn.signal)).toBeUndefined()
  })
})

const plan: QuestionAsk = {
  kind: "plan",
  callId: "c",
  plan: "# Plan",
  path: "/p.md",
  modes: ["default", "acceptEdits"],
  wishes: [{ prompt: "run tests", covers: "npm test" }, { prompt: "dance" }],
}

test.each([
  ["1", { kind: "approve", mode: "acceptEdits", wishes: ["run tests"] }],
  ["2", { kind: "approve", mode: "default", wishes: ["run tests"] }],
  ["2 fresh", { kind: "approve", mode: "default", wishes: ["run tests"], fresh: true }],
  ["3 name the files", { kind: "deny", words: "name the files", interrupt: false }],
  ["yes", { kind: "approve", mode: "default", wishes: ["run tests"] }],
  ["Edits", { kind: "approve", mode: "acceptEdits", wishes: ["run tests"] }],
  ["y fresh", { kind: "approve", mode: "default", wishes: ["run tests"], fresh: true }],
  ["edits fresh", { kind: "approve", mode: "acceptEdits", wishes: ["run tests"], fresh: true }],
  ["no", { kind: "deny", interrupt: false }],
  ["yes but faster", { kind: "deny", words: "yes but faster", interrupt: false }],
] as const)("a plan, answered with %j", async (line, expected) => {
  expect((await answered(plan, [[400, line]])).answer).toEqual(expected)
})

test("a member's plan is not continued with a fresh context: it goes on in the one it has", async () => {
  const { answer } = await answered(plan, [[400, "2 fresh"]], { id: "a", type: "builder", name: "mia" })
  expect(answer).toEqual({ kind: "approve", mode: "default", wishes: ["run tests"] })
})

test.each([
  ["1", { kind: "allow" }],
  ["2 smaller", { kind: "deny", words: "smaller", interrupt: false }],
  ["3 rename it", { kind: "deny", words: "rename it", interrupt: false, keep: true }],
] as const)("a review, answered with %j", async (line, expected) => {
  const decision = { ...permission.decision, reason: { kind: "tool_check", check: reviewCheck } as const }
  expect((await answered({ ...permission, decision }, [[400, line]])).answer).toEqual(expected)
})

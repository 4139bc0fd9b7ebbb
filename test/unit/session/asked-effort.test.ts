import { expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { askedEffort } from "#session/opening/asked-effort.ts"

type Prompt = Entry & { readonly kind: "prompt" }

const prompt = (text: string, more: Partial<Prompt> = {}): Prompt => ({
  kind: "prompt",
  uuid: "u",
  parentUuid: null,
  at: 0,
  promptId: "p",
  content: [{ type: "text", text }],
  ...more,
})

test.each([
  ["think about why this fails", "medium"],
  ["Fix the race. Think first.", "medium"],
  ["please think before you write", "medium"],
  ["think hard about the locking", "high"],
  ["Think deeply and answer", "high"],
  ["megathink this", "high"],
  ["think harder", "max"],
  ["I want you to think really hard", "max"],
  ["ULTRATHINK: what is wrong?", "max"],
  ["I think the test is wrong", undefined],
  ["what do you think?", undefined],
  ["rethink the design", undefined],
  ["see `ultrathink` in the docs", undefined],
  ["> ultrathink\nwhat does this line mean?", undefined],
  ["```\nthink hard\n```\nexplain this", undefined],
  ["fix the typo", undefined],
] as const)("%p asks for %p", (text, effort) => {
  expect(askedEffort(prompt(text))).toBe(effort)
})

test("only what a person typed asks for anything", () => {
  expect(askedEffort(prompt("ultrathink", { origin: { kind: "made" } }))).toBeUndefined()
  expect(askedEffort(prompt("sum up\nultrathink", { origin: { kind: "piped", words: "sum up" } }))).toBeUndefined()
  expect(askedEffort(prompt("ultrathink, says the file", { command: { typed: "/review" } }))).toBeUndefined()
  expect(askedEffort(prompt("the text of the file", { command: { typed: "/review ultrathink" } }))).toBe("max")
})

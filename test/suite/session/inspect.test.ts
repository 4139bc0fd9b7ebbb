/** Every request can be rebuilt from the log, block by block, and is proved to be what was sent. */

import { expect, test } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import { inspect } from "#session/inspect.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"

test("each block has its source, and only what is new differs from the request before", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "alpha\n" },
    script: [calls(read("a.txt")), says("It says alpha."), says("Bye.")],
  })
  await t.prompt("What is in it?")
  await t.prompt("Thanks")
  const [first, second, third] = inspect(t.entries())
  expect(
    second?.blocks.filter(({ role }) => role === "user" || role === "assistant").map(({ source }) => source),
  ).toEqual(["prompt", "call of Read", "result of Read"])
  expect(first?.blocks[0]?.source).toBe("tool Read")
  expect(first?.blocks.some(({ role, source }) => role === "system" && source === "system prompt")).toBe(true)
  expect(second?.sameAsBefore).toBe(first?.blocks.length as number)
  expect(third?.sameAsBefore).toBe(second?.blocks.length as number)
  expect([first, second, third].every((request) => request?.proved)).toBe(true)
  expect(second?.usage?.cache_read_input_tokens).toBeGreaterThan(0)
  expect(second?.blocks.at(0)?.cached).toBe(true)
  expect(second?.blocks.at(-1)?.cached).toBe(false)
})

test("what is shown is what went over the wire, also after going back, a shrink and a resume", async () => {
  await using first = await openTestSession({
    files: { "a.txt": "alpha\n" },
    script: [
      calls(read("a.txt")),
      says("one"),
      { ...says(""), fault: "too_long" },
      says("two"),
      calls(use("TodoWrite", { todos: [{ content: "x", status: "pending", activeForm: "xing" }] })),
      says("three"),
      says("four"),
    ],
  })
  await first.prompt("first")
  await first.prompt("second")
  const id = first.entries().findLast((entry) => entry.kind === "prompt")
  if (id?.kind !== "prompt") throw new Error("no prompt")
  first.session.submit({ type: "rewind", promptId: id.promptId, what: "conversation" })
  await first.session.settled()
  await using t = await first.reopen()
  await t.prompt("third")
  await t.prompt("fourth")
  const seen = inspect(t.entries())
  const sent = t.requests()
  expect(seen.length).toBeGreaterThanOrEqual(7)
  expect(seen.map(({ proved }) => proved)).toEqual(seen.map(() => true))
  const last = (sent.at(-1) ?? []).map(({ content }) => textOf(content as never)).join("\n")
  const shown = seen.at(-1)?.blocks.filter(({ role, source }) => role === "user" && source === "prompt")
  for (const { text } of shown ?? []) expect(last).toContain(text)
})

test("a log that was changed afterwards is not proved", async () => {
  await using t = await openTestSession({ script: [says("one")] })
  await t.prompt("first")
  const altered = t
    .entries()
    .map((entry) =>
      entry.kind === "prompt" ? { ...entry, content: [{ type: "text" as const, text: "something else" }] } : entry,
    )
  expect(inspect(altered).map(({ proved }) => proved)).toEqual([false])
})

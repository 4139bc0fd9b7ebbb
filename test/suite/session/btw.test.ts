/** Side questions: answered with the conversation before them, paid for, and no part of it. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const bodies = (t: {
  readonly simulator: { readonly requests: readonly { readonly body: unknown }[] }
}): readonly string[] => t.simulator.requests.map(({ body }) => JSON.stringify(body))

test("the conversation continues byte for byte as it would have without the question", async () => {
  await using t = await openTestSession({ script: [says("One."), says("Two."), says("On the side."), says("Two.")] })
  await t.prompt("one")
  await using copy = await t.fork()
  await copy.prompt("two")
  await using again = await t.reopen()
  expect(await again.ask({ type: "btw", question: "what was that?" })).toEqual({ ok: true, value: "On the side." })
  await again.prompt("two")
  const [, plain, aside, after] = bodies(t)
  expect(after).toBe(plain ?? "")
  expect(aside).toContain("what was that?")
  expect(after).not.toContain("what was that?")
  // What comes before the question is what the next request begins with, so the provider has it in its cache.
  const asked = JSON.parse(aside ?? "")
  const next = JSON.parse(after ?? "")
  expect([asked.system, asked.tools, asked.thinking]).toEqual([next.system, next.tools, next.thinking])
  expect(asked.messages.slice(0, 2)).toEqual(next.messages.slice(0, 2))
})

test("the log has nothing of it but what it cost", async () => {
  await using t = await openTestSession({ script: [says("One."), says("On the side.")] })
  await t.prompt("one")
  const before = t.entries().length
  await t.ask({ type: "btw", question: "what was that?" })
  expect(t.entries().slice(before)).toMatchObject([
    { kind: "spent", agents: { main: {}, "side questions": { tokens: expect.any(Number) } } },
  ])
  expect(JSON.stringify(t.entries())).not.toContain("what was that?")
})

test("while a tool runs it is answered without what is under way, and the turn goes on undisturbed", async () => {
  await using t = await openTestSession({
    script: (request) => {
      const text = JSON.stringify(request.messages)
      if (text.includes("side-question")) return says("Seven.")
      return text.includes("tool_result")
        ? says("Done.")
        : calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done"))
    },
  })
  t.say("wait for it")
  await t.until((event) => event.type === "entry" && event.entry.kind === "intent")
  expect(await t.ask({ type: "btw", question: "how many?" })).toEqual({ ok: true, value: "Seven." })
  await Bun.write(t.path("go"), "")
  await t.settled()
  expect(t.simulator.stats().refusals).toBe(0)
  expect(t.entries().findLast(({ kind }) => kind === "turn_end")).toMatchObject({ reason: "completed" })
})

test("a call instead of an answer, an error and a budget that is used up are named, and nothing runs", async () => {
  await using t = await openTestSession({
    script: [says("One."), calls(bash("touch ran")), says("Never.")],
    limits: { maxBudgetUsd: 5 },
  })
  await t.prompt("one")
  expect(await t.ask({ type: "btw", question: "do it" })).toEqual({
    ok: false,
    failure: "The model gave no answer in words. Ask again, or ask in the conversation.",
  })
  expect(await Bun.file(t.path("ran")).exists()).toBe(false)
  t.simulator.setFaults(["unauthorized"])
  expect(await t.ask({ type: "btw", question: "and now?" })).toMatchObject({ ok: false })
  await t.session.submit({ type: "set_budget", budget: { usd: 0.0001 } })
  expect(await t.ask({ type: "btw", question: "and now?" })).toMatchObject({
    failure: expect.stringContaining("The budget does not cover the next request"),
  })
})

test("/btw without a question says what to write", async () => {
  await using t = await openTestSession({ script: [] })
  expect(await t.ask({ type: "command", name: "btw", args: "" })).toEqual({
    isError: true,
    text: "Usage: /btw <question>",
  })
})

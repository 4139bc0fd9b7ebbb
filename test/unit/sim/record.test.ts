/** What a provider said is written as a scenario, and the scenario says it again. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { parseScenario } from "#sim/scenario-schema.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openRecording } from "#sim/record.ts"
import { openSimulator } from "#sim/server.ts"

const key = "sk-test-0123456789abcdefghij"

/** A provider (itself simulated), the recording before it, and a way to ask either. */
async function record(scenario: Scenario) {
  const provider = await openSimulator({ scenario, strict: false })
  if (!provider.ok) throw new Error(provider.failure.message)
  let kept = ""
  const recording = await openRecording({
    upstream: new URL(provider.value.url),
    clock: systemClock,
    send: fetch,
    keep: (text) => (kept = text),
  })
  if (!recording.ok) throw new Error(recording.failure.message)
  return {
    url: recording.value.url,
    kept: () => kept,
    scenario: (): Scenario => Bun.YAML.parse(kept) as Scenario,
    async [Symbol.asyncDispose]() {
      await recording.value.close()
      await provider.value.close()
    },
  }
}

const ask = async (url: string, stream: boolean): Promise<string> => {
  const answer = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify({
      model: "claude-sonnet-5",
      max_tokens: 1000,
      stream,
      messages: [{ role: "user", content: "hello" }],
      tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
    }),
  })
  return answer.text()
}

const replies = [
  {
    content: [
      { thinking: "hm" },
      { text: "Looking: é 🎉" },
      { tool: "Read", input: { file_path: "a\n: #b" }, id: "toolu_1" },
    ],
  },
  { content: [{ text: `the key is ${key}` }] },
] as const

test("streamed and whole answers are kept word for word, and keys are not", async () => {
  await using t = await record({ replies })
  const first = await ask(t.url, true)
  expect(first).toContain("message_stop")
  await ask(t.url, false)
  expect(t.kept()).not.toContain(key)
  expect(parseScenario(t.scenario()).ok).toBe(true)
  expect(t.scenario()).toMatchObject({
    replies: [
      {
        content: [
          { thinking: "hm" },
          { text: "Looking: é 🎉" },
          { tool: "Read", input: { file_path: "a\n: #b" }, id: "toolu_1" },
        ],
        stopReason: "tool_use",
        usage: { output_tokens: expect.any(Number) },
      },
      { content: [{ text: "the key is removed-key" }] },
    ],
  })
})

test("the scenario plays what was recorded", async () => {
  await using t = await record({ replies: [{ content: "Good day." }] })
  await ask(t.url, true)
  const again = await openSimulator({ scenario: t.scenario(), strict: false })
  if (!again.ok) throw new Error(again.failure.message)
  expect(JSON.parse(await ask(again.value.url, false))).toMatchObject({
    content: [{ type: "text", text: "Good day." }],
  })
  await again.value.close()
})

test("a refusal is recorded as the same refusal", async () => {
  await using t = await record({ replies: [{ content: "x", fault: "overloaded" }] })
  await ask(t.url, true)
  expect(t.scenario()).toMatchObject({ replies: [{ fault: "overloaded" }] })
})

test("a provider that is not there is said, and nothing is written", async () => {
  let kept = ""
  const recording = await openRecording({
    upstream: new URL("http://127.0.0.1:9"),
    clock: systemClock,
    send: fetch,
    keep: (text) => (kept = text),
  })
  if (!recording.ok) throw new Error(recording.failure.message)
  expect(await ask(recording.value.url, true)).toContain("The provider at 127.0.0.1:9 cannot be reached")
  expect(kept).toBe("")
  await recording.value.close()
})

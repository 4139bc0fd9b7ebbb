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

const bodies = {
  "/v1/messages": {
    max_tokens: 1000,
    messages: [{ role: "user", content: "hello" }],
    tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  },
  "/v1/chat/completions": { messages: [{ role: "user", content: "hello" }], stream_options: { include_usage: true } },
  "/v1/responses": { input: "hello", reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] },
}

const ask = async (url: string, stream: boolean, path: keyof typeof bodies = "/v1/messages"): Promise<string> => {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify({ model: "claude-sonnet-5", stream, ...bodies[path] }),
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

test.each(["/v1/chat/completions", "/v1/responses"] as const)("%s is recorded as well", async (path) => {
  const cut = { content: [{ text: "and" }], stopReason: "max_tokens" } as const
  await using t = await record({ replies: [replies[0], cut, replies[0], { content: "x", fault: "overloaded" }] })
  for (const stream of [true, false, false, true]) await ask(t.url, stream, path)
  expect(t.kept()).not.toContain(key)
  expect(parseScenario(t.scenario()).ok).toBe(true)
  const usage = { output_tokens: expect.any(Number), input_tokens: expect.any(Number) }
  expect(t.scenario()).toMatchObject({
    replies: [
      { content: replies[0].content, usage },
      { ...cut, usage },
      { content: replies[0].content, usage },
      { fault: "overloaded" },
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

test.each([
  ["Bedrock", "/model/us.anthropic.claude-sonnet-5/invoke-with-response-stream"],
  ["Bedrock, whole", "/model/us.anthropic.claude-sonnet-5/invoke"],
  [
    "Vertex AI",
    "/v1/projects/some-project/locations/us-east5/publishers/anthropic/models/claude-sonnet-5:streamRawPredict",
  ],
])("answers of %s are recorded, too", async (_name, path) => {
  await using recording = await record({ replies })
  const version = path.startsWith("/model") ? "bedrock-2023-05-31" : "vertex-2023-10-16"
  const { tools, messages } = bodies["/v1/messages"]
  const stream = path.endsWith("streamRawPredict") && { stream: true }
  const token = "bedrock-token-0123456789"
  const answer = await fetch(`${recording.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ anthropic_version: version, max_tokens: 1000, messages, tools, ...stream }),
  })
  await answer.arrayBuffer()
  expect(answer.status).toBe(200)
  const kept = recording.scenario()
  expect("replies" in kept && kept.replies[0]?.content).toEqual([
    { thinking: "hm", signature: expect.any(String) as string },
    { text: "Looking: é 🎉" },
    { tool: "Read", input: { file_path: "a\n: #b" }, id: expect.any(String) as string },
  ])
  expect(recording.kept()).not.toContain(token)
})

/** What the Gemini API said is written as a scenario, and the scenario says it again in any format. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openRecording } from "#sim/record.ts"
import { parseScenario } from "#sim/scenario-schema.ts"
import type { Scenario } from "#sim/scenario.ts"
import { hello, jsonOf, open, post } from "../open.ts"

const key = "AIzaSyA-0123456789abcdefghijklmnopqrstu"

test("streamed and whole answers are kept word for word, and keys are not", async () => {
  const content = [
    { thinking: "hm" },
    { text: "Looking: é 🎉" },
    { tool: "Read", input: { file_path: "a\n: #b" }, id: "c1" },
  ]
  await using provider = await open({
    scenario: {
      replies: [{ content }, { content: `the key is ${key}`, stopReason: "max_tokens" }, { fault: "overloaded" }],
    },
  })
  let kept = ""
  const recording = await openRecording({
    upstream: new URL(provider.url),
    clock: systemClock,
    keep: (text) => (kept = text),
  })
  if (!recording.ok) throw new Error(recording.failure.message)
  const body = {
    contents: [{ role: "user", parts: [{ text: "hello" }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  }
  const ask = async (method: string): Promise<string> =>
    (await post(recording.value.url, body, { "x-goog-api-key": key }, `/v1beta/models/gemini-4-argon:${method}`)).text()
  expect(await ask("streamGenerateContent?alt=sse")).toContain("STOP")
  await ask("generateContent")
  await ask("generateContent")
  await recording.value.close()

  expect(kept).not.toContain(key)
  const scenario = (): Scenario => Bun.YAML.parse(kept) as Scenario
  expect(parseScenario(scenario()).ok).toBe(true)
  expect(scenario()).toMatchObject({
    replies: [
      { content, usage: { output_tokens: expect.any(Number) } },
      { content: [{ text: "the key is removed-key" }], stopReason: "max_tokens" },
      { fault: "overloaded" },
    ],
  })
  await using again = await open({ scenario: scenario(), strict: false })
  expect(await jsonOf(await post(again.url, hello))).toMatchObject({
    content: [
      { type: "thinking", thinking: "hm" },
      { text: "Looking: é 🎉" },
      { type: "tool_use", name: "Read", id: "c1" },
    ],
  })
})

/** Contents leave only where they are switched on, and secrets never. */

import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import { systemClock } from "#lib/clock.ts"
import { telemetryTo } from "../../../kit/telemetry/telemetry-to.ts"
import { runs } from "../../../kit/runs.ts"

const everywhere = { OTEL_TRACES_EXPORTER: "console", OTEL_METRICS_EXPORTER: "console", OTEL_LOGS_EXPORTER: "console" }
const allOn = { OTEL_LOG_USER_PROMPTS: "1", OTEL_LOG_TOOL_DETAILS: "1", OTEL_LOG_TOOL_CONTENT: "1" }

/** A turn in which every text of a person, a model, a tool, a hook or a provider is given. */
function entriesWith(text: string): readonly Entry[] {
  let at = 1_000
  const stamp = () => ({ uuid: `u${at}`, parentUuid: null, at: at++ })
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const request = { model: "m", messages: 1, digest: "", maxTokens: 1, thinking: "off", delivery: "stream" } as const
  const block = { type: "tool_use", id: "c1", name: "Bash", input: { command: text } } as const
  const answer = { messageId: "x", model: "m", usage }
  return [
    { kind: "turn_start", turnId: "t", ...stamp() },
    { kind: "prompt", promptId: "p", content: [{ type: "text", text }], ...stamp() },
    { kind: "request", ...request, ...stamp() },
    { kind: "reply", ...answer, block, ...stamp() },
    { kind: "reply_end", ...answer, stopReason: "tool_use", durationMs: 1, ...stamp() },
    {
      kind: "decision",
      callId: "c1",
      tool: "Bash",
      behavior: "allow",
      reason: { kind: "default" },
      message: text,
      ...stamp(),
    },
    { kind: "intent", callId: "c1", tool: "Bash", title: text, files: [{ path: text, before: "" }], ...stamp() },
    { kind: "result", callId: "c1", tool: "Bash", content: text, isError: true, durationMs: 1, ...stamp() },
    { kind: "notice", level: "error", text, ...stamp() },
    { kind: "turn_end", turnId: "t", reason: "completed", message: text, ...stamp() },
  ]
}

async function sentFor(text: string, env: { readonly [name: string]: string }): Promise<string> {
  let sent = ""
  const telemetry = telemetryTo(
    "http://127.0.0.1:1",
    { ...everywhere, ...env },
    { clock: systemClock, write: (line) => void (sent += line) },
  )
  const trace = telemetry.follow({ sessionId: "11111111-2222-4333-8444-555555555555" })
  for (const entry of entriesWith(text)) trace.onEntry(entry, "live")
  await telemetry.close()
  return sent
}

test("without a switch nothing of what anybody wrote is sent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[a-z]{6,20}$/), async (word) => {
      const sent = await sentFor(`zq${word}zq`, {})
      expect(sent).toContain("tool.call")
      expect(sent).not.toContain(`zq${word}`)
    }),
    runs(20),
  )
})

test("with every switch the contents are there, and secrets in them are masked", async () => {
  const tail = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`))
  const secret = fc.oneof(
    tail(36).map((rest) => `ghp_${rest}`),
    tail(40).map((rest) => `sk-ant-api03-${rest}`),
    fc.stringMatching(/^[A-Z0-9]{16}$/).map((rest) => `AKIA${rest}`),
  )
  await fc.assert(
    fc.asyncProperty(secret, fc.constantFrom("", "key=", '{"token": "'), async (key, before) => {
      const sent = await sentFor(`words ${before}${key} more`, allOn)
      expect(sent).toContain("words ")
      expect(sent).toContain("****")
      expect(sent).not.toContain(key)
    }),
    runs(30),
  )
})

test("long contents are cut, and say so", async () => {
  const sent = await sentFor("word ".repeat(10_000), allOn)
  expect(sent).toContain("[cut, 50000 characters]")
  expect(sent.length).toBeLessThan(150_000)
})

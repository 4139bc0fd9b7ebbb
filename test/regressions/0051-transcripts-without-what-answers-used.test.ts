/** Programs that read transcripts add up the lines: they get what the answers used, once each, as our own log has it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

const linesOf = (t: TestSession): readonly JsonObject[] =>
  readFileSync(t.logPath, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): JsonObject => JSON.parse(line))

interface Line {
  readonly id: string
  readonly stop: string | null
  readonly output: number
  readonly requestId: string | undefined
  readonly usage: Usage
}

const answersIn = (t: TestSession): readonly Line[] =>
  linesOf(t).flatMap(({ type, message, requestId }) => {
    if (type !== "assistant" || !isObject(message)) return []
    const usage = message.usage as unknown as Usage
    const stop = typeof message.stop_reason === "string" ? message.stop_reason : null
    return [
      {
        id: String(message.id),
        stop,
        output: usage.output_tokens,
        requestId: typeof requestId === "string" ? requestId : undefined,
        usage,
      },
    ]
  })

/** As ccusage 17 counts: a line with both ids once, every other line by itself. */
function asCcusage(lines: readonly Line[]): Usage {
  const seen = new Set<string>()
  return lines.reduce((sum, { id, requestId, usage }) => {
    const key = `${id}:${requestId}`
    if (requestId !== undefined && seen.has(key)) return sum
    seen.add(key)
    return addUsage(sum, usage)
  }, noUsage)
}

/** As ccstatusline 2 counts: lines that end an answer. */
const asCcstatusline = (lines: readonly Line[]): Usage =>
  lines.filter(({ stop }) => stop !== null).reduce((sum, { usage }) => addUsage(sum, usage), noUsage)

const own = (t: TestSession): Usage =>
  t.entries().reduce((sum, entry) => (entry.kind === "reply_end" ? addUsage(sum, entry.usage) : sum), noUsage)

const counted = ({ input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens }: Usage) => ({
  input_tokens,
  output_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
})

test("the line that ends an answer has its usage, stop reason and request", async () => {
  await using t = await openTestSession({
    script: [
      { content: ["I look.", bash("echo one"), bash("echo two")], usage: { output_tokens: 40 } },
      { ...says("Done."), usage: { output_tokens: 7 } },
    ],
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  const lines = answersIn(t)
  expect(lines.map(({ stop, output, requestId }) => [stop, output, requestId?.slice(0, 4)])).toEqual([
    [null, 0, undefined],
    [null, 0, undefined],
    ["tool_use", 40, "req_"],
    ["end_turn", 7, "req_"],
  ])
  expect(counted(asCcusage(lines))).toEqual(counted(own(t)))
  expect(counted(asCcstatusline(lines))).toEqual(counted(own(t)))
})

test("an answer that is cut off has no stop reason, and the session goes on as before", async () => {
  await using t = await openTestSession({ script: [calls(bash("echo one")), says("Done."), says("More.")] })
  t.simulator.setFaults([{ name: "reset_after_tool_call", times: 1 }])
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(answersIn(t).map(({ stop }) => stop)).toEqual([null, "tool_use", "end_turn"])
  await using again = await t.reopen()
  expect(await again.prompt("more")).toEqual({ reason: "completed" })
})

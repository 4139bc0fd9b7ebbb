/** Lines of a log and passing moments, as workers send them, for tests that need no worker. */

import type { Question } from "#agent/words/question.ts"
import type { JsonObject } from "#lib/json.ts"

let count = 0
const stamp = (): JsonObject => ({
  uuid: `entry-${++count}`,
  parentUuid: null,
  timestamp: new Date(1_795_000_000_000 + count * 1000).toISOString(),
})

const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 3,
}

export const fact = (subtype: string, codewright: JsonObject): string =>
  JSON.stringify({ ...stamp(), type: "system", subtype, codewright })

export const said = (promptId: string, text: string): string =>
  JSON.stringify({ ...stamp(), type: "user", promptId, message: { role: "user", content: text } })

export const block = (messageId: string, content: JsonObject): string =>
  JSON.stringify({
    ...stamp(),
    type: "assistant",
    message: { id: messageId, role: "assistant", model: "sim", content: [content], stop_reason: null, usage },
  })

export const replyEnd = (messageId: string): string =>
  fact("reply_end", { messageId, model: "sim", stopReason: "end_turn", usage, durationMs: 1 })

export const outcome = (callId: string, text: string, isError = false): string =>
  JSON.stringify({
    ...stamp(),
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: callId, content: text, is_error: isError }],
    },
    codewright: { durationMs: 3, tool: "Bash" },
  })

/** A question about a command, as it is in a log. */
export const question = (id: string, callId: string, command: string, digest: string): Question => ({
  id,
  key: id,
  digest,
  ask: {
    kind: "permission",
    callId,
    tool: "Bash",
    title: `Bash ${command}`,
    question: "Run this command?",
    input: { command },
    footprint: { reads: [], writes: [], runs: [command], hosts: [] } as never,
    decision: { behavior: "ask", reason: { kind: "default" }, message: "It may change files." } as never,
    destinations: ["session"],
    suggestedRule: `Bash(${command})`,
  },
})

/** A delta, numbered after an entry. */
export const delta = (after: string, number: number, messageId: string, what: JsonObject): string =>
  JSON.stringify({ cursor: `${after}+${number}`, type: "model_delta", messageId, delta: what })

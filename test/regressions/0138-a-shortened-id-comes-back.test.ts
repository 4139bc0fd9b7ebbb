/** Ids longer than a server takes are sent in a shorter form. A server that gave that form again made two calls with one id, which it then refused. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { ServerDialect } from "#ground/models/dialect.ts"
import { openChatEncoder } from "#ground/models/openai-chat/request.ts"
import { isObject, objectIn } from "#lib/json.ts"

const facts = { id: "m", provider: "local", window: 100_000, maxOutput: 8_000 }
const dialect: ServerDialect = { name: "local", idOf: () => "m", factsOf: () => facts }

const messages: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "go" }] },
  { role: "assistant", content: [{ type: "tool_use", id: "t".repeat(60), name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t".repeat(60), content: "ok" }] },
]

test.each([undefined, "marks"] as const)("both forms of an id are known (caching: %p)", (caching) => {
  const noted: string[] = []
  const { encode } = openChatEncoder({ ...dialect, ...(caching && { caching }) }, (id) => noted.push(id))
  const request = { model: "m", system: [], tools: [], maxTokens: 9, thinking: { type: "off" as const } }
  const { body } = encode({ ...request, messages, delivery: "stream", repeat: 0 })
  const sent = objectIn(new TextDecoder().decode(body))
  const answer = Array.isArray(sent?.messages) ? sent.messages.at(-1) : undefined
  const id = isObject(answer) ? String(answer.tool_call_id) : ""
  expect(id).toMatch(/^call_[0-9a-f]{32}$/)
  expect(noted).toEqual(["t".repeat(60), id])
})

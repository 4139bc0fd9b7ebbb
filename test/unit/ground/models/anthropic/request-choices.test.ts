/** What the user's environment changes in every request: no cache marks, further fields. */

import { expect, test } from "bun:test"
import type { Request } from "#agent/words/model.ts"
import { claudeFacts } from "#ground/models/anthropic/releases.ts"
import { type Dialect, openRequestEncoder } from "#ground/models/anthropic/request.ts"
import type { JsonObject } from "#lib/json.ts"

const request: Request = {
  model: "claude-sonnet-5-5",
  system: [{ text: "You help." }],
  tools: [{ name: "Read", description: "Reads.", input_schema: { type: "object" } }],
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  maxTokens: 1_000,
  thinking: { type: "off" },
  delivery: "stream",
  repeat: 0,
}

function sent(more: Partial<Dialect>): JsonObject {
  const dialect: Dialect = { name: "anthropic", idOf: (model) => model, factsOf: claudeFacts, ...more }
  const { body } = openRequestEncoder(dialect, () => {}).encode(request)
  return JSON.parse(new TextDecoder().decode(body))
}

test("prompts are marked to be cached, unless that is turned off", () => {
  const marked = sent({})
  const plain = sent({ caching: "never" })
  expect(JSON.stringify(marked).match(/cache_control/g)).toHaveLength(3)
  expect(JSON.stringify(plain)).not.toContain("cache_control")
  const stripped = JSON.stringify(marked).replaceAll(',"cache_control":{"type":"ephemeral"}', "")
  expect(plain).toEqual(JSON.parse(stripped))
})

test("further fields are added", () => {
  expect(sent({ extraBody: { metadata: { user_id: "ann" } } })).toEqual({
    ...sent({}),
    metadata: { user_id: "ann" },
  })
})

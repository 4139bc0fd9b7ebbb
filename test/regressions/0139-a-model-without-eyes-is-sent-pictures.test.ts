/** After a change to a model of the same provider that cannot see, the conversation was sent as it was written for the other. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { ServerDialect } from "#ground/models/dialect.ts"
import { openChatEncoder } from "#ground/models/openai-chat/request.ts"

const seeing = { id: "seeing", provider: "local", window: 100_000, maxOutput: 8_000, images: true }
const blind = { ...seeing, id: "blind", images: false }
const dialect: ServerDialect = {
  name: "local",
  idOf: (model) => model,
  factsOf: (model) => (model === "blind" ? blind : seeing),
}

const messages: readonly Message[] = [
  { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } }] },
  { role: "assistant", content: [{ type: "text", text: "A picture." }] },
  { role: "user", content: [{ type: "text", text: "And now?" }] },
]

test("each model is sent what it can take", () => {
  const { encode } = openChatEncoder(dialect, () => {})
  const sent = (model: string): string => {
    const asked = { model, system: [], tools: [], messages, maxTokens: 9, thinking: { type: "off" as const } }
    return new TextDecoder().decode(encode({ ...asked, delivery: "stream", repeat: 0 }).body)
  }
  const first = sent("seeing")
  expect(first).toContain("image_url")
  expect(sent("blind")).not.toContain("image_url")
  expect(sent("seeing")).toBe(first)
})

/**
 * A conversation over Chat Completions that went from a model that sees to one that does not sent the second the pictures
 * too: the bytes of the first request were used again.
 */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { Capabilities } from "#ground/models/dialect.ts"
import { openChatEncoder } from "#ground/models/openai-chat/request.ts"
import { requestOf } from "../unit/ground/models/port.ts"

test("each model gets the messages as it can take them", () => {
  const seeing: Capabilities = { id: "mine/seeing", provider: "mine", window: 9_000, maxOutput: 900, images: true }
  const blind: Capabilities = { ...seeing, id: "mine/blind", images: false }
  const dialect = {
    name: "mine",
    idOf: (model: string) => model,
    factsOf: (model: string) => (model === blind.id ? blind : seeing),
  }
  const encoder = openChatEncoder(dialect, () => {})
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const
  const messages: readonly Message[] = [{ role: "user", content: [{ type: "image", source }] }]
  const hasPicture = (model: string): boolean =>
    new TextDecoder().decode(encoder.encode(requestOf({ model, messages })).body).includes("AAAA")
  expect([seeing.id, blind.id, seeing.id].map(hasPicture)).toEqual([true, false, true])
})

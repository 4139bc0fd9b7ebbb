/** A conversation that went on with another model of the same server was sent as it was written for the first one. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"
import { openChatEncoder } from "#ground/models/openai-chat/request.ts"
import { onceEach } from "#lib/once-each.ts"
import { requestOf } from "../unit/ground/models/port.ts"

test("a model that cannot see is not sent the pictures that another was", () => {
  const factsOf = onceEach((model: string): Capabilities => ({
    id: model,
    provider: "local",
    window: 100_000,
    maxOutput: 8_000,
    images: model === "local/seeing",
  }))
  const dialect: ServerDialect = { name: "local", idOf: (model) => model.replace("local/", ""), factsOf }
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const
  const messages: readonly Message[] = [{ role: "user", content: [{ type: "image", source }] }]
  const { encode } = openChatEncoder(dialect, () => {})
  const bodyOf = (model: string): string => new TextDecoder().decode(encode(requestOf({ model, messages })).body)
  expect(bodyOf("local/seeing")).toContain("AAAA")
  expect(bodyOf("local/blind")).not.toContain("AAAA")
  expect(bodyOf("local/seeing")).toContain("AAAA")
})

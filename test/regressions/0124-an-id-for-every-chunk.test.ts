/** Every chunk of a chat completion took a fresh id that was then remembered for good. */

import { expect, test } from "bun:test"
import { openChatDecoder } from "#ground/models/openai-chat/decode.ts"
import { openGeminiDecoder } from "#ground/models/gemini/decode.ts"
import { requestOf } from "../unit/ground/models/port.ts"

test("the id of an answer is admitted once, however many chunks repeat it", () => {
  const chunks = {
    chat: { id: "c-1", choices: [{ delta: { content: "word " } }] },
    gemini: { responseId: "r-1", candidates: [{ content: { parts: [{ text: "word " }] } }] },
  }
  for (const [name, open] of [["chat", openChatDecoder] as const, ["gemini", openGeminiDecoder] as const]) {
    const admitted: unknown[] = []
    const ids = { note: () => {}, admit: (id: unknown) => (admitted.push(id), "msg_1") }
    const decoder = open({ by: "local", toolIds: ids, messageIds: ids }, requestOf())
    for (let i = 0; i < 5; i++) decoder.decodeEvent(null, JSON.stringify(chunks[name]), [])
    expect(admitted).toEqual([name === "chat" ? "c-1" : "r-1"])
  }
})

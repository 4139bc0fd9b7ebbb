import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import { shrink } from "#kits/compaction/shrink.ts"

const picture = (data: string): Message => ({
  role: "user",
  content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
})

test("when there are too many pictures, the newest stay", () => {
  const messages = Array.from({ length: 95 }, (_, i) => picture(`image ${i}`))
  const smaller = shrink(messages, "old_media")
  expect(smaller).toHaveLength(95)
  expect(smaller.slice(-20)).toEqual(messages.slice(-20))
  expect(JSON.stringify(smaller.slice(0, 75))).not.toContain('"image"')
})

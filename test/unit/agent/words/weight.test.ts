/** How many tokens a block is taken to be. */

import { expect, test } from "bun:test"
import { tokensOfBlock } from "#agent/words/weight.ts"

const image = (bytes: Buffer) =>
  ({ type: "image", source: { type: "base64", media_type: "image/gif", data: bytes.toString("base64") } }) as const
const gif = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(12)
  bytes.write("GIF89a", "latin1")
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

test("text by its length, an image by its area up to what the provider makes of large ones", () => {
  expect(tokensOfBlock({ type: "text", text: "x".repeat(400) })).toBe(100)
  expect(tokensOfBlock(image(gif(300, 250)))).toBe(100)
  expect(tokensOfBlock(image(gif(9_000, 9_000)))).toBe(1_600)
  expect(tokensOfBlock(image(Buffer.from("no image")))).toBe(1_600)
})

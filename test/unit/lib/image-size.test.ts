/** The size of images, from their first bytes. */

import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { imageSize } from "#lib/image-size.ts"

const base64 = (...parts: readonly (readonly number[] | string)[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64")
const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0)

const images: { readonly [name: string]: string } = {
  png: base64([0x89], "PNG\r\n\u001a\n", [0, 0, 0, 13], "IHDR", [0, 0, 1, 64], [0, 0, 0, 200], zeros(5)),
  gif: base64("GIF89a", [64, 1], [200, 0], zeros(3)),
  jpeg: base64([0xff, 0xd8, 0xff, 0xe1, 0, 6, 1, 2, 3, 4, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 64], zeros(10)),
  "webp, extended": base64("RIFF", zeros(4), "WEBPVP8X", zeros(8), [63, 1, 0, 199, 0, 0]),
  "webp, lossy": base64("RIFF", zeros(4), "WEBPVP8 ", zeros(10), [64, 1, 200, 0]),
  "webp, lossless": base64("RIFF", zeros(4), "WEBPVP8L", zeros(5), [0x3f, 0xc1, 0x31, 0], zeros(9)),
}

for (const [name, image] of Object.entries(images))
  test(`of a ${name}`, () => expect(imageSize(image)).toEqual({ width: 320, height: 200 }))

test("what is no image, or cut off, has none; and nothing makes it fail", () => {
  for (const text of ["", "AAAA", "no base64 at all \0", base64("GIF89a", zeros(8))])
    expect(imageSize(text)).toBeUndefined()
  const starts = Object.values(images).map((image) => Buffer.from(image, "base64"))
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.nat(30), fc.uint8Array({ maxLength: 60 }), (start, cut, more) => {
      const size = imageSize(Buffer.concat([start.subarray(0, cut), more]).toString("base64"))
      return size === undefined || (size.width > 0 && size.height > 0)
    }),
  )
})

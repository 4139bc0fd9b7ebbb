import { expect, test } from "bun:test"
import fc from "fast-check"
import { frameOf, openFrames } from "#ground/lsp/frames.ts"
import type { JsonObject } from "#lib/json.ts"

function read(chunks: readonly Uint8Array[]): { readonly messages: JsonObject[]; readonly broken: string[] } {
  const messages: JsonObject[] = []
  const broken: string[] = []
  const frames = openFrames({
    onMessage: (message) => void messages.push(message),
    onBroken: (why) => void broken.push(why),
  })
  for (const chunk of chunks) frames.push(chunk)
  return { messages, broken }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const message = fc.record({
  method: fc.string({ unit: "grapheme" }),
  params: fc.jsonValue(),
}) as fc.Arbitrary<JsonObject>

test("however the bytes are cut, the same messages come out", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (all, sizes) => {
        const whole = bytes(all.map(frameOf).join(""))
        const chunks: Uint8Array[] = []
        for (let at = 0; at < whole.length;) {
          const size = sizes.next().value ?? 1
          chunks.push(whole.slice(at, at + size))
          at += size
        }
        const once = JSON.parse(JSON.stringify(all)) as JsonObject[]
        expect(read(chunks)).toEqual({ messages: once, broken: [] })
      },
    ),
  )
})

test("any bytes are read without an error, and break it once at most", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (chunks) => {
      expect(read(chunks).broken.length).toBeLessThanOrEqual(1)
    }),
  )
})

test("greetings are skipped, other headers and plain line ends are fine", () => {
  const body = '{"method":"x"}'
  const given = `hello\n\nContent-Type: a\r\ncontent-length: ${body.length}\r\n\r\n${body}Content-Length: ${body.length}\n\n${body}`
  expect(read([bytes(given)])).toEqual({ messages: [{ method: "x" }, { method: "x" }], broken: [] })
})

test("what is too large, endless or never JSON breaks it", () => {
  expect(read([bytes("Content-Length: 99999999999\r\n\r\n")]).broken).toHaveLength(1)
  expect(read([bytes("x".repeat(100_000))]).broken).toHaveLength(1)
  expect(read([bytes("nothing\n\n".repeat(20_000))]).broken).toHaveLength(1)
  expect(read([bytes("Content-Length: 3\r\n\r\n{{{".repeat(30))]).broken).toHaveLength(1)
})

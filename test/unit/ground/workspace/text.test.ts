import { expect, test } from "bun:test"
import fc from "fast-check"
import { decode, dominantEnding, encode, endsAllInCrlf, type TextShape, withLf } from "#ground/workspace/text.ts"

const shapes: readonly TextShape[] = [
  { encoding: "utf8", bom: false },
  { encoding: "utf8", bom: true },
  { encoding: "utf16le", bom: true },
  { encoding: "utf16be", bom: true },
]

test("text in every shape is told apart and comes back byte for byte", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 }).map((value) => value.replaceAll("\0", "x"))
  fc.assert(
    fc.property(text, fc.constantFrom(...shapes), (value, shape) => {
      const bytes = encode(value, shape)
      if (!bytes.ok) throw new Error("not encodable")
      const decoded = decode(bytes.value)
      expect(decoded).toEqual({ ok: true, value: { text: value, ...shape } })
    }),
  )
})

test("whatever bytes are taken for text come back as they were", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const decoded = decode(Buffer.from(bytes))
      if (!decoded.ok) return
      expect(encode(decoded.value.text, decoded.value)).toEqual({ ok: true, value: Buffer.from(bytes) })
    }),
  )
})

test("UTF-16 without a mark is recognised by its zeros", () => {
  const text = "plain western text\r\nin two lines\r\n"
  const little = Buffer.from(text, "utf16le")
  const big = Buffer.from(text, "utf16le").swap16()
  expect(decode(little)).toEqual({ ok: true, value: { text, encoding: "utf16le", bom: false } })
  expect(decode(big)).toEqual({ ok: true, value: { text, encoding: "utf16be", bom: false } })
})

test("Latin-1 is text, and a character it lacks is named", () => {
  const bytes = Buffer.from("caf\xe9 cr\xe8me\n", "latin1")
  const decoded = decode(bytes)
  expect(decoded).toMatchObject({ ok: true, value: { text: "café crème\n", encoding: "latin1" } })
  expect(encode("5 €", { encoding: "latin1", bom: false })).toEqual({ ok: false, failure: "€" })
})

test("binaries are told from text", () => {
  expect(decode(Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0", "latin1")).ok).toBe(false)
  expect(decode(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d])).ok).toBe(false)
  expect(decode(Buffer.alloc(0))).toMatchObject({ ok: true, value: { text: "" } })
})

test("line ends", () => {
  expect(dominantEnding("a\r\nb\r\nc\n")).toBe("\r\n")
  expect(dominantEnding("a\nb\r\n")).toBe("\n")
  expect(endsAllInCrlf("a\r\nb\r\n")).toBe(true)
  expect(endsAllInCrlf("a\r\nb\n")).toBe(false)
  expect(endsAllInCrlf("\na\r\n")).toBe(false)
  expect(endsAllInCrlf("a")).toBe(false)
  expect(withLf("a\r\nb\rc\n")).toBe("a\nb\rc\n")
})

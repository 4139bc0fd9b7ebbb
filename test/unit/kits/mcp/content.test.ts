import { expect, test } from "bun:test"
import fc from "fast-check"
import type { JsonValue } from "#lib/json.ts"
import { contentOf, resourceContentOf } from "#kits/mcp/content.ts"

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const text = (said: string): JsonValue => ({ type: "text", text: said })

test("text alone is one text; with an image it is blocks, and the image is what its bytes say", () => {
  expect(contentOf([text("a"), text("b")])).toBe("a\nb")
  expect(contentOf([text("a"), { type: "image", data: pixel, mimeType: "image/jpeg" }])).toEqual([
    { type: "text", text: "a" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
  ])
})

test("structured content is said once", () => {
  expect(contentOf([text('{ "a": 1 }')], { a: 1 })).toBe('{ "a": 1 }')
  expect(contentOf([text("one")], { a: 1 })).toBe('one\n{\n  "a": 1\n}')
  expect(contentOf([text("the whole file")], { content: "the whole file" })).toBe("the whole file")
  expect(contentOf([text("2 found")], { found: 2, names: ["a.ts"] })).toContain('"a.ts"')
  expect(contentOf([text("x".repeat(300_000))], { a: "y" })).not.toContain("y")
  expect(contentOf([], null)).toBe("null")
  expect(contentOf([])).toBe("The tool gave nothing back.")
})

test("images that are too large, or not base64, are named instead", () => {
  expect(contentOf([{ type: "image", data: `${pixel.slice(0, 60)}$$`, mimeType: "image/png" }])).toContain(
    "cannot be shown",
  )
  const huge = `${pixel.replace(/=+$/, "")}${"A".repeat(5_000_000)}`
  expect(contentOf([{ type: "image", data: huge, mimeType: "image/png" }])).toContain("too large to be shown")
})

test("a resource is shown with its address: text, picture, or what it is", () => {
  expect(
    resourceContentOf([
      { uri: "a://1", text: "one" },
      { uri: "a://2", blob: pixel, mimeType: "image/png" },
      { uri: "a://3", blob: "AAAA" },
      { uri: "a://4" },
    ]),
  ).toEqual([
    { type: "text", text: "[a://1]\none" },
    { type: "text", text: "[a://2]" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
    { type: "text", text: "[a://3: bytes, 3 bytes, which cannot be shown here.]" },
    { type: "text", text: "[a://4 came without content.]" },
  ])
})

test("property: nothing that a server sends makes it throw, and something is always said", () => {
  const kind = fc.constantFrom("text", "image", "audio", "resource", "resource_link", "other")
  const block = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: kind, text: fc.jsonValue(), data: fc.jsonValue(), resource: fc.jsonValue() }),
  )
  fc.assert(
    fc.property(fc.array(block), fc.option(fc.jsonValue(), { nil: undefined }), (blocks, structured) => {
      expect(contentOf(blocks as JsonValue[], structured as JsonValue | undefined).length).toBeGreaterThan(0)
    }),
  )
})

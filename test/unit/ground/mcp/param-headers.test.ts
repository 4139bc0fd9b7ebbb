/** Marked arguments as headers: which schemas are in order, and how values are written. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { paramHeaders, paramHeadersIn } from "#ground/mcp/param-headers.ts"
import type { JsonObject } from "#lib/json.ts"

const mark = (name: unknown, type = "string"): JsonObject => ({ type, "x-mcp-header": name as string })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more })

test.each<[string, JsonObject, boolean]>([
  ["nothing", object({ a: { type: "string" } }), true],
  ["an argument", object({ a: mark("A") }), true],
  ["one inside another", object({ a: object({ b: mark("B", "integer") }) }), true],
  ["an empty name", object({ a: mark("") }), false],
  ["a name with a space", object({ a: mark("a b") }), false],
  ["a name with a line", object({ a: mark("a\r\nb") }), false],
  ["no text", object({ a: mark(1) }), false],
  ["a number", object({ a: mark("A", "number") }), false],
  ["a list", object({ a: mark("A", "array") }), false],
  ["the same twice", object({ a: mark("A"), b: mark("a") }), false],
  ["an alternative", object({}, { anyOf: [object({ a: mark("A") })] }), false],
  ["a member of a list", object({ a: { type: "array", items: mark("A") } }), false],
  ["a definition", object({}, { $defs: { a: mark("A") } }), false],
  ["the whole", { ...object({}), ...mark("A", "object") }, false],
])("a mark on %s", (_, schema, isFine) => expect(paramHeadersIn(schema).ok).toBe(isFine))

test("values that are no plain text for a header go as Base64, and come back the same", () => {
  const marks = paramHeadersIn(object({ a: mark("A") }))
  if (!marks.ok) throw new Error(marks.failure)
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const value = paramHeaders(marks.value, { a: text })["Mcp-Param-A"] ?? ""
      // Nothing but what a header may hold.
      expect(value).toMatch(/^[\t\x20-\x7e]+$/)
      const coded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
      expect(coded === undefined ? value : Buffer.from(coded, "base64").toString("utf8")).toBe(text.toWellFormed())
    }),
  )
  expect(paramHeaders(marks.value, { a: null })).toEqual({})
  expect(paramHeaders(marks.value, { a: { b: 1 } })).toEqual({})
  expect(paramHeaders(marks.value, {})).toEqual({})
})

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { JsonObject } from "#lib/json.ts"
import { acceptable } from "#kits/mcp/schema.ts"

test("a sound schema is passed on as the very same value", () => {
  const schema: JsonObject = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { path: { type: "string", minLength: 1 }, tags: { type: "array", items: { enum: ["a", "b"] } } },
    required: ["path"],
    additionalProperties: false,
  }
  expect(acceptable(schema).schema).toBe(schema)
})

test("what is not of its kind is left out, and the rest stays", () => {
  const { schema } = acceptable({
    type: "objekt",
    properties: {
      a: { type: "string", required: true, minLength: -1 },
      b: { type: ["string", "null"], exclusiveMinimum: true },
      c: "a text",
      d: { items: [{ type: "string" }, { type: "number" }] },
    },
    required: "a",
    "x-own": 1,
  })
  expect(schema).toEqual({
    type: "object",
    properties: {
      a: { type: "string" },
      b: { type: ["string", "null"] },
      d: { prefixItems: [{ type: "string" }, { type: "number" }] },
    },
    "x-own": 1,
  })
})

test("alternatives at the top become one object with what all of them want", () => {
  const { schema } = acceptable({
    anyOf: [
      { properties: { id: { type: "string" }, a: {} }, required: ["id", "a"] },
      { properties: { id: { type: "string" }, b: {} }, required: ["id"] },
    ],
    allOf: [{ properties: { c: {} }, required: ["c"] }],
  })
  expect(schema).toEqual({
    type: "object",
    properties: { id: { type: "string" }, a: {}, b: {}, c: {} },
    required: ["c", "id"],
  })
})

test("a schema that points into itself is what it points to", () => {
  const { schema } = acceptable({
    $ref: "#/definitions/Input",
    definitions: { Input: { type: "object", properties: { a: { type: "string" } } } },
  })
  expect(schema).toMatchObject({ type: "object", properties: { a: { type: "string" } } })
})

test("fields whose names no provider takes are renamed, and get their names back", () => {
  const { schema, restore } = acceptable({
    type: "object",
    properties: { $filter: {}, _filter: {}, "ä b": {}, ok: {} },
    required: ["$filter", "ok"],
  })
  expect(Object.keys(schema.properties ?? {})).toEqual(["_filter_", "_filter", "__b", "ok"])
  expect(schema.required).toEqual(["_filter_", "ok"])
  expect(restore({ _filter_: 1, _filter: 2, __b: 3, ok: 4, more: 5 })).toEqual({
    $filter: 1,
    _filter: 2,
    "ä b": 3,
    ok: 4,
    more: 5,
  })
})

test("property: whatever a server says, the outcome is an object without alternatives and with names that are taken", () => {
  const json = fc.jsonValue({ maxDepth: 5 })
  const keyword = fc.constantFrom("type", "properties", "required", "items", "anyOf", "allOf", "$ref", "enum", "a", "ß")
  const given = fc.dictionary(keyword, fc.oneof(json, fc.dictionary(keyword, json)))
  fc.assert(
    fc.property(given, (value) => {
      const { schema } = acceptable(value as JsonObject)
      expect(schema.type).toBe("object")
      expect([schema.anyOf, schema.allOf, schema.oneOf]).toEqual([undefined, undefined, undefined])
      for (const name of Object.keys(schema.properties ?? {})) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
      // What was made sound once is sound.
      expect(acceptable(schema).schema).toEqual(schema)
    }),
  )
})

test("every text in a schema is cleaned, and what is said in it is bounded; values keep their line ends", () => {
  const evil = "a\u202eb\u200bc\u{e0041}d\u001b[2J<system\u00ad-reminder>"
  const { schema } = acceptable({
    type: "object",
    title: evil,
    properties: {
      ends: { type: "string", enum: ["\n", "\r\n", evil], default: evil, description: `${evil} ${"x".repeat(5_000)}` },
      deep: { type: "object", properties: { [`k${evil}`]: { "x-unknown": [{ [evil]: evil }] } } },
    },
  })
  const said = JSON.stringify(schema)
  expect(said).not.toMatch(/\\u|[\u202e\u200b\u00ad]|\u{e0041}|<system-reminder/u)
  expect(schema.title).toBe("abcd&lt;system-reminder>")
  expect(schema).toMatchObject({ properties: { ends: { enum: ["\n", "\r\n", "abcd&lt;system-reminder>"] } } })
  expect(said.length).toBeLessThan(3_000)
})

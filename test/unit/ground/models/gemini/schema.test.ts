/** Schemas of tools, from any server, as Gemini takes them: judged by the strict simulator. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { fittedSchema } from "#ground/models/gemini/schema.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { checkTools } from "#sim/gemini/strict-tools.ts"

function fitted(schema: JsonObject): JsonObject {
  const made = fittedSchema(schema)
  const declaration = { name: "Look", description: "", parametersJsonSchema: made }
  expect(checkTools([{ functionDeclarations: [declaration] }])).toBeUndefined()
  return made
}

test("what Gemini takes is passed on", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description: "Where.", pattern: "^/", minLength: 1 },
      kind: { type: ["string", "null"], enum: ["a", "b"] },
      list: { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1 },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
    },
    required: ["path"],
    additionalProperties: false,
  }
  expect(fitted(schema)).toEqual(schema)
})

test("what it does not take is said in another way, or left out", () => {
  expect(
    fitted({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "x",
      type: "object",
      properties: {
        mode: { const: "fast" },
        one: {
          oneOf: [
            { type: "string", format: "uri" },
            { type: "string", format: "date" },
          ],
        },
        above: { type: "integer", exclusiveMinimum: 0 },
        below: { type: "number", exclusiveMaximum: 1 },
        names: { type: "object", propertyNames: { pattern: "^a" }, patternProperties: { "^a": {} } },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
        any: true,
        flag: { enum: [true, null] },
      },
      required: ["mode", "gone"],
      if: {},
    }),
  ).toEqual({
    type: "object",
    properties: {
      mode: { enum: ["fast"] },
      one: { anyOf: [{ type: "string" }, { type: "string", format: "date" }] },
      above: { type: "integer", minimum: 1 },
      below: { type: "number", maximum: 1 },
      names: { type: "object" },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      any: {},
      flag: {},
    },
    required: ["mode"],
  })
})

test("references are replaced by what they refer to; one that has no end is left out", () => {
  const $defs = {
    point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" }, at: { $ref: "#/$defs/point" } } },
  }
  expect(
    fitted({
      type: "object",
      $defs,
      properties: {
        at: { $ref: "#/$defs/point", description: "Here." },
        both: { allOf: [{ $ref: "#/$defs/point" }, { properties: { y: { type: "number" } }, required: ["y"] }] },
        tree: { $ref: "#/$defs/tree" },
        same: { $ref: "#/properties/at" },
        self: { $ref: "#" },
        other: { $ref: "https://example.com/x.json", description: "Elsewhere." },
      },
    }).properties,
  ).toEqual({
    at: { ...$defs.point, description: "Here." },
    both: { type: "object", properties: { x: { type: "number" }, y: { type: "number" } }, required: ["x", "y"] },
    tree: { type: "object", properties: { left: {}, at: $defs.point } },
    same: { ...$defs.point, description: "Here." },
    self: {},
    other: { description: "Elsewhere." },
  })
})

test("a schema that would grow without measure stays small", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `d${i}`,
      { type: "object", properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } } },
    ]),
  )
  const made = fitted({ type: "object", $defs, properties: { root: { $ref: "#/$defs/d0" } } })
  expect(JSON.stringify(made).length).toBeLessThan(200_000)
})

const keyword = fc.constantFrom(
  ..."type properties items anyOf oneOf allOf $ref $defs enum const required format additionalProperties prefixItems".split(
    " ",
  ),
  ..."minimum exclusiveMinimum pattern not if $schema description default title".split(" "),
)
const anySchema: fc.Arbitrary<JsonObject> = fc.letrec((tie) => ({
  schema: fc.dictionary(
    keyword,
    fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>("string", "object", "#/$defs/a", "#", "#/properties/a", "x", 3, true, null),
      fc.array(fc.constantFrom<JsonValue>("a", "string", 1, null)),
      fc.array(tie("schema"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
      tie("schema"),
    ),
    { maxKeys: 5 },
  ),
})).schema as fc.Arbitrary<JsonObject>

test("whatever a schema says, what comes of it is taken", () => {
  fc.assert(fc.property(anySchema, (schema) => void fitted(schema)))
})

/** Values against JSON Schemas: every complaint names its place, and a schema that cannot be followed is refused. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { z } from "zod"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { readSchema } from "#lib/json-schema.ts"

function check(schema: JsonObject, value: JsonValue): readonly string[] {
  const read = readSchema(schema)
  if (!read.ok) throw new Error(read.failure)
  return read.value(value)
}

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2, uniqueItems: true },
    home: { $ref: "#/$defs/place" },
  },
  required: ["name", "age"],
  additionalProperties: false,
  $defs: { place: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] } },
} as const

test("complaints name the place and what must be there", () => {
  expect(check(person, { name: "Ada", age: 36, tags: ["a"], home: { city: null } })).toEqual([])
  expect(check(person, { name: "Ada", age: "36" })).toEqual(["/age: must be an integer"])
  expect(check(person, { name: "", tags: ["c", "a", "a"], "a/b": 1, home: {} })).toEqual([
    "/age: is missing",
    "/name: must have at least 1 character",
    "/tags: must have at most 2 items",
    "/tags: must not repeat items",
    '/tags/0: must be one of "a", "b"',
    "/a~1b: is not a known field",
    "/home/city: is missing",
  ])
  expect(check(person, [])).toEqual(["/: must be an object"])
})

test.each<[string, JsonObject, readonly JsonValue[], readonly JsonValue[]]>([
  ["numbers", { exclusiveMinimum: 0, maximum: 1, multipleOf: 0.1 }, [0.1, 0.3, 1], [0, 1.1, 0.25]],
  ["const", { const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, null]],
  ["pattern", { pattern: "^\\p{Lu}", maxLength: 2 }, ["Ä", "A😀", 5], ["ä", "ABC"]],
  ["allOf", { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ["anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, ["a", null], [1, true]],
  ["oneOf", { oneOf: [{ minimum: 1 }, { maximum: 1 }] }, [0, 2], [1]],
  ["not", { not: { type: "object" } }, [1, []], [{}]],
  ["if", { if: { const: 1 }, then: false, else: { type: "string" } }, ["a"], [1, 2]],
  ["tuples", { prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a", 1], []], [["a", "b"], [1]]],
  ["old tuples", { items: [{ type: "string" }], additionalItems: false }, [["a"], []], [["a", 1]]],
  ["contains", { contains: { type: "null" }, maxContains: 1 }, [[null], [1, null]], [[], [1], [null, null]]],
  [
    "names",
    { propertyNames: { maxLength: 1 }, patternProperties: { "^x": { type: "number" } } },
    [{ x: 1 }],
    [{ xy: 1 }, { x: "a" }],
  ],
  ["more fields", { additionalProperties: { type: "number" }, minProperties: 1 }, [{ a: 1 }], [{}, { a: "b" }]],
  [
    "dependent",
    { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    [{ a: 1, b: 1 }, {}],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    "recursion",
    { properties: { next: { $ref: "#" }, n: { type: "number" } } },
    [{ next: { next: { n: 1 } } }],
    [{ next: { next: { n: "a" } } }],
  ],
])("%s", (_name, schema, good, bad) => {
  for (const value of good) expect(check(schema, value)).toEqual([])
  for (const value of bad) expect(check(schema, value)).not.toEqual([])
})

test.each<[JsonObject, string]>([
  [
    { type: "text" },
    '#/type must be object, array, string, number, integer, boolean, null, or a list of these, not "text".',
  ],
  [{ properties: { a: 5 } }, "The schema at #/properties/a must be an object, or true or false."],
  [{ required: "a" }, '#/required must be a list of names, not "a".'],
  [{ properties: { a: { pattern: "(" } } }, '#/properties/a/pattern must be a regular expression, not "(".'],
  [{ $ref: "#/$defs/none" }, "#/$ref refers to #/$defs/none, which is missing."],
  [
    { $ref: "https://example.org/a" },
    '#/$ref must refer to a part of the schema itself, as in #/$defs/name, not to "https://example.org/a".',
  ],
  [{ unevaluatedProperties: false }, "#/unevaluatedProperties is not supported. Describe the same without it."],
  [{ anyOf: [] }, "#/anyOf must be a list of schemas."],
])("a schema that cannot be followed is refused with the reason: %j", (schema, reason) => {
  expect(readSchema(schema)).toEqual({ ok: false, failure: reason })
})

test("a schema that refers to itself without end says so instead of never ending", () => {
  expect(check({ $ref: "#" }, 1)).toEqual(["/: is nested too deeply"])
})

test("what zod accepts is accepted, and what it refuses is refused", () => {
  const shape = z.strictObject({
    id: z.int(),
    name: z.string().max(3),
    kind: z.enum(["x", "y"]),
    more: z.array(z.union([z.boolean(), z.null()])).optional(),
  })
  const schema = z.toJSONSchema(shape) as JsonObject
  const anything = fc.record(
    {
      id: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
      name: fc.string({ maxLength: 5 }),
      kind: fc.constantFrom("x", "y", "z"),
      more: fc.array(fc.oneof(fc.boolean(), fc.constant(null), fc.integer()), { maxLength: 3 }),
      other: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anything, (value) => {
      expect(check(schema, value as JsonObject).length === 0).toBe(shape.safeParse(value).success)
    }),
  )
})

test("no value and no sound schema makes the check throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
      if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return
      const read = readSchema(schema as JsonObject)
      if (read.ok) read.value(value as JsonValue)
    }),
  )
})

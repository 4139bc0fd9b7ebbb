import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { JsonValue } from "#lib/json.ts"
import * as shape from "#lib/shape.ts"

const input = shape.object({
  path: shape.string().trim().min(1).describe("A path"),
  limit: shape.int().min(1).max(10).optional(),
  all: shape.boolean().default(false),
  mode: shape.choice(["a", "b"]).default("a"),
  edits: shape
    .array(shape.object({ from: shape.string(), count: shape.number().optional() }))
    .min(1)
    .optional(),
})
const complaints = (value: JsonValue): string[] => {
  const read = input.read(value, "")
  return read.ok ? [] : read.complaints
}

describe("a shape", () => {
  test("gives the JSON Schema", () => {
    expect(input.json).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "A path" },
        limit: { type: "integer", maximum: 10 },
        all: { type: "boolean", default: false },
        mode: { type: "string", enum: ["a", "b"], default: "a" },
        edits: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: { from: { type: "string" }, count: { type: "number" } },
            required: ["from"],
            additionalProperties: false,
          },
        },
      },
      required: ["path"],
      additionalProperties: false,
    })
  })

  test("tells a lower bound that a model could cross, and checks every one", () => {
    expect(shape.string().min(2).json).toEqual({ type: "string", minLength: 2 })
    expect(shape.int().min(5).json).toEqual({ type: "integer", minimum: 5 })
    expect(shape.int().min(0).json).toEqual({ type: "integer" })
    expect(shape.int().min(0).read(-1, "n").ok).toBe(false)
    expect(shape.string().min(1).read("", "s").ok).toBe(false)
  })

  test("reads, fills in defaults, and takes numbers and booleans that come as strings", () => {
    expect(input.read({ path: " x ", limit: "3", all: "true", edits: [{ from: "", count: "1.5" }] }, "")).toEqual({
      ok: true,
      value: { path: "x", limit: 3, all: true, mode: "a", edits: [{ from: "", count: 1.5 }] },
    })
    expect(input.read({ path: "x" }, "")).toEqual({ ok: true, value: { path: "x", all: false, mode: "a" } })
  })

  test("names every field that is wrong, and what it should be", () => {
    expect(complaints({ path: "", limit: 11, mode: "c", edits: [] })).toEqual([
      "Field `path` must not be empty.",
      "Field `limit` must be at most 10.",
      "Field `mode` must be one of a, b.",
      "Field `edits` needs at least 1.",
    ])
    expect(complaints({ limit: 1.5, all: "yes", edits: [{ from: 7 }, null] })).toEqual([
      "Field `path` is missing.",
      "Field `limit` must be a whole number, not a number.",
      "Field `all` must be true or false, not a string.",
      "Field `edits.0.from` must be a string, not a number.",
      "Field `edits.1` must be an object, not null.",
    ])
    expect(complaints([])).toEqual(["The input must be an object, not a list."])
  })

  test("refuses unknown fields with the names of that very object", () => {
    expect(complaints({ pth: "x", path: "x" })).toEqual(["Unknown field `pth`; did you mean `path`?"])
    expect(complaints({ path: "x", edits: [{ from: "a", zzzzz: 1 }] })).toEqual([
      "Unknown field `zzzzz`; the fields are from, count.",
    ])
    expect(complaints(JSON.parse('{"path":"x","__proto__":{"a":1}}'))).toHaveLength(1)
  })

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = input.read(value as JsonValue, "")
        if (read.ok) expect(input.read(JSON.parse(JSON.stringify(read.value)), "")).toEqual(read)
      }),
    )
  })
})

test("one of several objects is read by the shape of its kind, and a missing field is not there at all", () => {
  const message = shape.tagged("kind", {
    say: { text: shape.string(), to: shape.omittable(shape.string()) },
    stop: {},
  })
  const errors = (value: JsonValue): readonly string[] => {
    const read = message.read(value, "")
    return read.ok ? [] : read.complaints
  }
  expect(message.read({ kind: "say", text: "hi" }, "")).toEqual({ ok: true, value: { kind: "say", text: "hi" } })
  expect(message.read({ kind: "stop" }, "")).toEqual({ ok: true, value: { kind: "stop" } })
  expect(errors({ kind: "shout", text: "hi" })).toEqual(["Field `kind` must be one of say, stop."])
  expect(errors({ text: "hi" })).toEqual(["Field `kind` must be one of say, stop."])
  expect(errors({ kind: "say" })).toEqual(["Field `text` is missing."])
  expect(errors({ kind: "stop", text: "hi" })).toHaveLength(1)
  expect(errors("stop")).toEqual(["The input must be an object, not a string."])
})

import { expect, test } from "bun:test"
import fc from "fast-check"
import { printJson, styleOf } from "#lib/json-style.ts"
import type { JsonValue } from "#lib/json.ts"

test("a value is printed as the text around it is", () => {
  const value = { a: [1, { b: [] }], c: {}, "d e": "x\ny" }
  for (const space of [1, 2, 4, "\t"]) {
    const text = JSON.stringify({ first: 1, value }, null, space)
    expect(printJson({ first: 1, value }, styleOf(text), 0)).toBe(text)
  }
  expect(printJson(value, styleOf('{"first":1}'), 0)).toBe(JSON.stringify(value))
  expect(printJson(value, styleOf('{"first": 1}'), 0)).toBe('{"a": [1, {"b": []}], "c": {}, "d e": "x\\ny"}')
  expect(printJson([1, 2], styleOf('{\r\n  "first": 1\r\n}'), 1)).toBe("[\r\n    1,\r\n    2\r\n  ]")
  expect(printJson([1], styleOf('{\n"first": 1\n}'), 1)).toBe("[\n1\n]")
})

test("what is printed reads as the same value", () => {
  const texts = fc.constantFrom('{"a":1}', '{"a": 1}', '{\n "a": 1\n}', '{\r\n\t"a":1\r\n}')
  fc.assert(
    fc.property(fc.jsonValue(), texts, (any, text) => {
      const value: JsonValue = JSON.parse(JSON.stringify(any))
      expect(JSON.parse(printJson(value, styleOf(text), 3))).toEqual(value)
    }),
  )
})

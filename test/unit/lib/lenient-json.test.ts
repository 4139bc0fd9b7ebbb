/** JSON with the slips of models: read where it can only mean one thing. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { readLenient } from "#lib/lenient-json.ts"
import { runs } from "../../kit/runs.ts"

test("what is JSON is read as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = readLenient(JSON.stringify(value))
      if (typeof value !== "string") expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) })
    }),
    runs(200),
  )
})

test.each([
  ['{"a": "one\ntwo\tthree"}', { a: "one\ntwo\tthree" }],
  ['{"a": [1, 2,], "b": {"c": "x,]",},}', { a: [1, 2], b: { c: "x,]" } }],
  ['{"a": True, "b": None, "c": "True, None"}', { a: true, b: null, c: "True, None" }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  [JSON.stringify('{"a": 1}'), { a: 1 }],
  ['{}{"a": 1}', { a: 1 }],
  ["{}\n", {}],
] as const)("%p", (text, value) => {
  expect(readLenient(text)).toEqual({ ok: true, value })
})

test.each(['{"a": "b', '{"a": {"b": 1', "[1, 2", '{"a": "x\n'])("%p broke off", (text) => {
  expect(readLenient(text)).toMatchObject({ ok: false, failure: { kind: "broke off" } })
})

test.each([
  '{"a": "b"c"}',
  '{"a": {"b": 1}',
  "{'a': 1}",
  '{"a": 1} and more',
  '{"a": 1}{"b": 2}',
  "{a: 1}",
  '{"a": "\\d"}',
  '{"a" 1}',
])("%p is malformed", (text) => {
  expect(readLenient(text)).toMatchObject({ ok: false, failure: { kind: "malformed" } })
})

test("a part of JSON is never taken for the whole", () => {
  const input = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  fc.assert(
    fc.property(input, fc.nat(), (value, at) => {
      const text = JSON.stringify(value)
      expect(readLenient(text.slice(0, at % text.length)).ok).toBe(false)
    }),
    runs(300),
  )
})

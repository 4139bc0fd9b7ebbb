/** The reader of JSON with comments: the same values as JSON, and the right place for every complaint. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Jsonc, type JsoncProblem, parseJsonc } from "#ground/settings/jsonc.ts"
import type { JsonValue } from "#lib/json.ts"

function parsed(text: string): Jsonc {
  const result = parseJsonc(text)
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

function problem(text: string): JsoncProblem {
  const result = parseJsonc(text)
  if (result.ok) throw new Error("It was understood.")
  return result.failure
}

test("comments, trailing commas and a byte order mark are accepted", () => {
  const text = '\uFEFF// head\n{ /* a */ "a": [1, 2,], // tail\n "b": {"c": null,},\n}\n// end'
  expect(parsed(text).value).toEqual({ a: [1, 2], b: { c: null } })
})

test("slashes inside texts are no comments", () => {
  expect(parsed('{"u": "https://x/*y*/", "e": "\\"//\\\\"}').value).toEqual({ u: "https://x/*y*/", e: '"//\\' })
})

describe("positions", () => {
  const text = '{\n  "a": [1,\n    {"b": true}],\n  "größe": "x"\n}'
  const { positionOf, keyPositionOf } = parsed(text)
  test.each([
    [[], 1, 1],
    [["a"], 2, 8],
    [["a", 0], 2, 9],
    [["a", 1, "b"], 3, 11],
    [["größe"], 4, 12],
    [["a", 1, "missing"], 3, 5],
    [["nothing"], 1, 1],
  ] as const)("the value at %j stands at %d:%d", (path, line, column) =>
    expect(positionOf(path)).toEqual({ line, column }),
  )

  test("a key has its own place", () => expect(keyPositionOf(["a", 1, "b"])).toEqual({ line: 3, column: 6 }))
})

describe("what is wrong, and where", () => {
  const table: readonly [text: string, line: number, column: number, says: string][] = [
    ["", 1, 1, "the end of the file"],
    ["{", 1, 2, "A key in double quotes or } was expected, but the end of the file was found."],
    ["{\n  a: 1}", 2, 3, 'A key in double quotes or } was expected, but "a" was found.'],
    ['{"a" 1}', 1, 6, 'A colon was expected after "a", but "1" was found.'],
    ['{"a": 1\n "b": 2}', 2, 2, 'A comma or } was expected after the value of "a"'],
    ['{"a": [1 2]}', 1, 10, "A comma or ] was expected in the list"],
    ['{"a": tru}', 1, 7, 'A value was expected, but "tru" was found.'],
    ['{"a": 01}', 1, 7, "A value was expected"],
    ['{"a": }', 1, 7, "A value was expected"],
    ['{"a": "x\n"}', 1, 7, "no closing double quote on its line"],
    ['{"a": "\\x"}', 1, 7, "a backslash that means nothing"],
    ['{"a": "\t"}', 1, 7, "a control character"],
    ["{} x", 1, 4, '"x" stands after the end'],
    ["/* {}", 1, 1, "never closed"],
    ['{"a": {"__proto__": 1}}', 1, 8, "__proto__"],
    ['{"a": {"constructor": 1}}', 1, 8, "constructor"],
    ['{"prototype": 1}', 1, 2, "prototype"],
    ["[".repeat(200), 1, 102, "nested deeper"],
    ["{,}", 1, 2, "A key in double quotes"],
    ["[,]", 1, 2, "A value was expected"],
  ]
  test.each(table)("%j at %d:%d says %j", (text, line, column, says) => {
    const found = problem(text)
    expect({ line: found.line, column: found.column }).toEqual({ line, column })
    expect(found.message).toContain(says)
  })
})

test("a key given twice is told, and the last one counts", () => {
  const { value, repeated } = parsed('{"a": 1,\n"a": 2}')
  expect(value).toEqual({ a: 2 })
  expect(repeated).toEqual([{ line: 2, column: 1, key: "a" }])
})

test("whatever is JSON has the same value here", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      if (/"(?:__proto__|constructor|prototype)"/.test(text)) return
      expect(parsed(text).value).toEqual(JSON.parse(text) as JsonValue)
    }),
  )
})

test("no text makes it throw, and every place it names exists", () => {
  const noise = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\/*\n 1-e.tfn', "é", "😀"), maxLength: 40 })
  fc.assert(
    fc.property(noise, (text) => {
      const result = parseJsonc(text)
      if (result.ok) return
      const line = text.split("\n")[result.failure.line - 1]
      expect(line).toBeDefined()
      expect(result.failure.column).toBeLessThanOrEqual([...(line ?? "")].length + 1)
    }),
    { numRuns: 2000 },
  )
})

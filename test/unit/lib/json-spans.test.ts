import { expect, test } from "bun:test"
import fc from "fast-check"
import { elementsAt, membersAt, startOfValue } from "#lib/json-spans.ts"

test("every member and element is found where it stands, however the text is laid out", () => {
  const indent = fc.constantFrom(undefined, 0, 1, 4, "\t")
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), indent, (object, list, space) => {
      const objectText = ` \r\n${JSON.stringify(object, null, space)}\n`
      const members = membersAt(objectText, startOfValue(objectText))
      expect(members.map(({ key, start, end }) => [key, JSON.parse(objectText.slice(start, end))])).toEqual(
        Object.entries(JSON.parse(objectText)),
      )
      const listText = JSON.stringify(list, null, space)
      const elements = elementsAt(listText, 0)
      expect(elements.map(({ start, end }) => JSON.parse(listText.slice(start, end)))).toEqual(JSON.parse(listText))
    }),
  )
})

test("quotes, backslashes and brackets in texts mislead nobody", () => {
  const text = String.raw`{"a\"}": "x\\", "b": ["]", "\\\"", {"c}": 1}], "d": -1.50e+3 , "e":null}`
  expect(membersAt(text, 0).map(({ key, start, end }) => [key, text.slice(start, end)])).toEqual([
    ['a"}', String.raw`"x\\"`],
    ["b", String.raw`["]", "\\\"", {"c}": 1}]`],
    ["d", "-1.50e+3"],
    ["e", "null"],
  ])
  expect(elementsAt("[]", 0)).toEqual([])
  expect(membersAt("{ }", 0)).toEqual([])
})

/** What is found inside a damaged line of a log: whole lines of ours, known by their checksums, and nothing else. */

import { expect, test } from "bun:test"
import { linesInside } from "#ground/transcript/inside.ts"
import { sealed } from "#ground/transcript/seal.ts"

const line = (uuid: string): string => sealed({ parentUuid: null, uuid, type: "user" })
const found = (text: string): unknown[] => linesInside(Buffer.from(text)).map(({ line: { uuid } }) => uuid)

test("a whole line after a torn one, and after zeros, is found where it begins", () => {
  const torn = line("a").slice(0, -20)
  expect(found(`${torn}${line("b")}`)).toEqual(["b"])
  expect(found(`\0\0\0${line("a")}${line("b")}`)).toEqual(["a", "b"])
  const [inner] = linesInside(Buffer.from(`\0é${line("c")}`))
  expect([inner?.at, inner?.bytes]).toEqual([3, line("c").length])
})

test("what looks like a line and has no checksum, or a wrong one, is not", () => {
  expect(found(`torn ${JSON.stringify({ parentUuid: null, uuid: "x", type: "user" })}`)).toEqual([])
  expect(found(`torn ${line("a").replace('"a"', '"b"')}`)).toEqual([])
})

/** A line of JSON means the same however it comes, and a very long string in it is in a file. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type LongText, openLongLine } from "#ground/mcp/long-strings.ts"

const character = fc.constantFrom("a", "é", "日", "😀", '"', "\\", "\n", "\u0000", "x".repeat(9), "\ud83d", "\u007f")
const text = fc.array(character, { maxLength: 40 }).map((all) => all.join(""))
const value = fc.letrec((tie) => ({
  any: fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie("any"), { maxLength: 4 })),
})).any
/** As some libraries write it: nothing but ASCII. */
const ascii = (json: string): string =>
  json.replaceAll(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

function read(
  json: string,
  sizes: readonly number[],
  longest: number,
): { readonly line: string; readonly files: string[] } {
  const files: string[] = []
  const open = (): LongText => {
    const at = files.push("") - 1
    return { add: (more) => (files[at] += more), close: () => `<${at}>` }
  }
  const line = openLongLine(open, longest)
  const bytes = Buffer.from(json)
  let from = 0
  for (const size of sizes) {
    line.push(bytes.subarray(from, from + size))
    from += size
  }
  line.push(bytes.subarray(from))
  return { line: line.end(), files }
}

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 })

test("short strings stay, in whatever pieces the line comes", () => {
  fc.assert(
    fc.property(fc.array(value), sizes, fc.boolean(), (all, pieces, isAscii) => {
      const json = isAscii ? ascii(JSON.stringify(all)) : JSON.stringify(all)
      const { line, files } = read(json, pieces, 1_000_000)
      expect(line).toBe(Buffer.from(json).toString())
      expect(files).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test("a long one is in its file, and the line has its beginning and its end", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 30, maxLength: 60 }), sizes, fc.boolean(), (parts, pieces, isAscii) => {
      const long = `${parts.join("")}${"z".repeat(60)}`
      const whole = JSON.stringify({ id: 1, result: { text: long, after: ['short "one"'] } })
      const { line, files } = read(isAscii ? ascii(whole) : whole, pieces, 50)
      expect(files).toEqual([long])
      expect(JSON.parse(line)).toEqual({
        id: 1,
        result: { text: `${long.toWellFormed()}\n<0>\n${long.toWellFormed()}`, after: ['short "one"'] },
      })
    }),
    { numRuns: 300 },
  )
})

test("where there can be no file, and in a line that is cut off, nothing is lost", () => {
  const whole = JSON.stringify({ text: "x".repeat(500) })
  const line = openLongLine(() => undefined, 50)
  line.push(Buffer.from(whole))
  expect(line.end()).toBe(whole)
  expect(read(whole.slice(0, 20), [3], 50).line).toBe(whole.slice(0, 20))
})

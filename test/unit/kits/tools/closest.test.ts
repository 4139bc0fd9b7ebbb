import { expect, test } from "bun:test"
import { closestPassage } from "#kits/tools/closest.ts"

const file = [
  "import x from 'x'",
  "",
  "function add(a: number, b: number) {",
  "    return a + b",
  "}",
  "",
  "function subtract(a: number, b: number) {",
  "    return a - b",
  "}",
]

test("the passage most like the wanted one is found, spacing aside", () => {
  expect(closestPassage(file, ["function substract(a:number, b:number) {", "  return a - b", "}"])).toEqual({
    first: 7,
    lines: file.slice(6, 9),
  })
  expect(closestPassage(file, ["\treturn a + b;"])).toEqual({ first: 4, lines: ["    return a + b"] })
})

test("nothing alike is nothing", () => {
  expect(closestPassage(file, ["SELECT * FROM users WHERE id = ?"])).toBeUndefined()
  expect(closestPassage(file, ["", " "])).toBeUndefined()
  expect(closestPassage([], ["x"])).toBeUndefined()
})

test("large files and long lines are no burden", () => {
  const large = Array.from({ length: 60_000 }, (_, i) => `line number ${i} ${"y".repeat(i % 40)}`)
  expect(closestPassage(large, ["line  number 4242 yy"])?.first).toBeGreaterThan(0)
})

/** Everything else rests on telling code from what only looks like it. */

import { expect, test } from "bun:test"
import { depths, mask } from "./walls/mask.ts"

const cases: readonly (readonly [what: string, text: string, masked: string])[] = [
  ["a line comment", "a // b\nc", "a     \nc"],
  ["a block comment keeps its lines", "a /* b\nc */ d", "a     \n     d"],
  ["a string with an escaped quote", String.raw`f("a\"b", 'c')`, `f("    ", ' ')`],
  ["a comment mark in a string", `f("// no") + x`, `f("     ") + x`],
  ["a template keeps its code", "`a ${b({ c: `d` })} e` + f", "`    b({ c: ` ` })   ` + f"],
  ["a pattern", String.raw`x.replace(/["'/\/]/g, y)`, "x.replace(/       /g, y)"],
  ["a pattern after return", "return /'/.test(a)", "return / /.test(a)"],
  ["a division", "a / b / 'c'", "a / b / ' '"],
  ["an apostrophe in JSX text hides its own line only", "<p>don't</p>\nlet a", "<p>don'     \nlet a"],
  ["a closing tag", "<p>{a}</p> + 'x'", "<p>{a}</p> + ' '"],
  ["an unfinished text", "`abc", "`   "],
]

test.each(cases)("%s", (_what, text, masked) => {
  expect(mask(text)).toBe(masked)
})

test("depth counts brackets of every kind", () => {
  expect(depths("a{b(c)}d").join("")).toBe("00112100")
})

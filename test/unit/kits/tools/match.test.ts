import { expect, test } from "bun:test"
import fc from "fast-check"
import { planEdit } from "#kits/tools/match.ts"

const edit = (text: string, from: string, to: string, which: "only" | "all" = "only") => {
  const plan = planEdit(text, { from, to, which })
  return plan.kind === "edit" ? plan.text : plan.kind
}

test("one exact occurrence is replaced, several only when all are meant", () => {
  expect(edit("a b c", "b", "x")).toBe("a x c")
  expect(edit("a b b", "b", "x")).toBe("many")
  expect(edit("a b b", "b", "x", "all")).toBe("a x x")
  expect(edit("aaa", "aa", "b", "all")).toBe("ba")
  expect(edit("a", "b", "x")).toBe("none")
  expect(planEdit("b\nb", { from: "b", to: "c", which: "only" })).toEqual({ kind: "many", offsets: [0, 2] })
})

test("replacement text is taken literally", () => {
  expect(edit("a b c", "b", "$& $1 $$")).toBe("a $& $1 $$ c")
})

test("line ends of the text are kept, whatever line ends are asked for", () => {
  expect(edit("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb")).toBe("a\r\nx\r\nb\r\nc\r\n")
  expect(edit("a\r\nb\r\n", "a\r\nb", "x\r\ny")).toBe("x\r\ny\r\n")
  expect(edit("a\r\nb\r\n", "b", "b\nc")).toBe("a\r\nb\r\nc\r\n")
  expect(edit("a\nb\n", "a\r\nb", "x\r\ny")).toBe("x\ny\n")
  expect(edit("a\r\nb", "a\nb", "aX\nb")).toBe("aX\r\nb")
  expect(edit("a\r\nb\r\nc", "a\nb\nc", "a\nc")).toBe("a\r\nc")
  expect(edit("a\r\nb", "a\nb", "ab")).toBe("ab")
  expect(edit("a\r\nb", "\nb", "")).toBe("a")
})

test("mixed line ends stay as they are around the change, and in lines that are replaced", () => {
  expect(edit("a\r\nb\nc\r\nd\n", "b\nc", "B\nC")).toBe("a\r\nB\nC\r\nd\n")
  expect(edit("a\r\nb\nc\r\nd\n", "a\nb\nc", "1\n2\n3")).toBe("1\r\n2\n3\r\nd\n")
  expect(edit("x\r\ny\nx\ny\n", "x\ny", "z")).toBe("x\r\ny\nz\n")
})

test("typographic quotes and blanks at line ends do not count when nothing matches exactly", () => {
  expect(edit("say “hi” now", 'say "hi" now', 'say "hi" later')).toBe("say “hi” later")
  expect(edit("it’s  \nfine\n", "it's\nfine", "it's\ngood")).toBe("it’s  \ngood\n")
  expect(edit("a\nb", "a  \nb\t", "a\nc")).toBe("a\nc")
  expect(edit("foobar", "foo ", "x")).toBe("none")
  expect(edit("“a” “a”", '"a"', "b")).toBe("none")
  expect(edit("“a” “a”", '"a"', "b", "all")).toBe("none")
  expect(edit('"a" “a”', '"a"', "b")).toBe("b “a”")
  expect(edit("   \n", "  ", "x")).toBe("x \n")
  expect(planEdit("“x”", { from: '"x"', to: "y", which: "only" })).toMatchObject({ how: "tolerant" })
})

test("a wish to change quotes is not lost", () => {
  expect(edit('say "x"  \nend', 'say "x"\nend', "say “x”\nend")).toBe("say “x”  \nend")
})

test("regions are where the new text is", () => {
  const plan = planEdit("a\r\nfoo\r\nb foo", { from: "foo", to: "longer", which: "all" })
  if (plan.kind !== "edit") throw new Error(plan.kind)
  expect(plan.regions.map(({ start, end }) => plan.text.slice(start, end))).toEqual(["longer", "longer"])
  const crlf = planEdit("a\r\nb\r\nc", { from: "a\nb\n", to: "a\nx\nb\n", which: "only" })
  if (crlf.kind !== "edit") throw new Error(crlf.kind)
  expect(crlf.regions.map(({ start, end }) => crlf.text.slice(start, end))).toEqual(["a\r\nx\r\nb\r\n"])
})

const word = fc.constantFrom("alpha", "beta", "“gamma”", "é", "  delta ", "x", "")
const lines = (ending: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(word, ending), { minLength: 1, maxLength: 12 })
    .map((all) => all.map((pair) => pair.join("")).join(""))

test("an edit and its reverse restore every byte where line ends are of one kind", () => {
  fc.assert(
    fc.property(fc.constantFrom("\n", "\r\n"), fc.nat(), fc.nat(), fc.string(), (ending, a, b, fresh) => {
      const text = ["one", "two", "three “four”", "five  ", "", "six"].join(ending)
      const plain = text.replaceAll("\r\n", "\n")
      const [from, until] = [a % plain.length, b % plain.length].sort((x, y) => x - y)
      const old = plain.slice(from, (until ?? 0) + 1)
      const unique = `<<${fresh.replaceAll("\r", "")}\n>>`
      const there = planEdit(text, { from: old, to: unique, which: "only" })
      if (there.kind !== "edit" || there.how !== "exact") return
      const back = planEdit(there.text, { from: unique, to: old, which: "only" })
      expect(back).toMatchObject({ kind: "edit", text })
    }),
  )
})

test("an edit within a line touches nothing else, however the line ends are mixed", () => {
  fc.assert(
    fc.property(lines(fc.constantFrom("\n", "\r\n", "\r")), lines(fc.constantFrom("\n", "\r\n")), (before, after) => {
      const text = `${before}MARK${after}`
      expect(edit(text, "MARK", "other")).toBe(`${before}other${after}`)
      expect(edit(`${before}other${after}`, "other", "MARK")).toBe(text)
    }),
  )
})

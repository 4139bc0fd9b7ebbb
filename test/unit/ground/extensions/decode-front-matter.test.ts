/** The one decoder for the heads of files, and that no limit is ever lost in it. */

import { splitFrontMatter } from "#ground/extensions/split-front-matter.ts"
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { decodeFields, decodeFrontMatter } from "#ground/extensions/decode-front-matter.ts"
import type { FieldName } from "#ground/extensions/fields.ts"
import { heads } from "./written-front-matter.ts"
import { runs } from "../../../kit/runs.ts"

const read = (head: Extract<ReturnType<typeof decodeFrontMatter>, { ok: true }>["value"], name: FieldName) =>
  head.list(name) ?? head.text(name) ?? head.flag(name) ?? head.count(name)

describe("heads", () => {
  for (const { why, kind, head, is, rejected, problems } of heads)
    test(why, () => {
      const decoded = decodeFrontMatter(kind, `---\n${head}\n---\nBody`)
      if (rejected !== undefined) return expect(decoded.ok ? "understood" : decoded.failure).toContain(rejected)
      if (!decoded.ok) throw new Error(decoded.failure)
      const names = Object.keys(is ?? {}) as FieldName[]
      expect(Object.fromEntries(names.map((name) => [name, read(decoded.value, name)]))).toEqual({ ...is })
      expect(decoded.value.body).toBe("Body")
      if (problems) expect(decoded.value.problems).toEqual([...problems])
    })
})

describe("where a head begins and ends", () => {
  const tools = (text: string) => {
    const decoded = decodeFrontMatter("agent", text)
    return decoded.ok ? [decoded.value.list("tools"), decoded.value.body] : decoded.failure
  }
  test("line ends of another system, a mark of byte order, blank lines before it", () => {
    const expected = [["Read", "Grep"], "Body\r\n---\r\nmore"]
    const text = "---\r\ntools:\r\n  - Read\r\n  - Grep\r\n---\r\nBody\r\n---\r\nmore"
    for (const before of ["", "\uFEFF", "\r\n", "\n  \n"]) expect(tools(before + text)).toEqual(expected)
  })
  test("line ends of very old systems, spaces before the dashes, a comment behind them", () => {
    expect(tools("---\rtools: Read\r---\rBody")).toEqual([["Read"], "Body"])
    expect(tools("  ---\ntools: Read\n---\nBody")).toEqual([["Read"], "Body"])
    expect(tools("--- # mine\ntools: Read\n---\nBody")).toEqual([["Read"], "Body"])
    for (const nothing of ["---", "---\n", "---\n---", "---\n---\n"]) expect(typeof tools(nothing)).toBe("object")
  })
  test("what almost begins a head is text, unless it holds a limit", () => {
    for (const begin of ["----", "———", "––", "```yaml\n---"]) {
      expect(tools(`${begin}\ntext\n`)).toEqual([undefined, `${begin}\ntext\n`])
      expect(tools(`${begin}\nname: a\ntools: Read\n---\nBody`)).toBe(
        "its front matter has the field tools, and must begin with a line of three dashes: ---",
      )
    }
  })
  test("dashes with blanks behind them, and dashes that are none of it", () => {
    expect(tools("---  \ndescription: a ---\ntools: Read\n--- \nBody")).toEqual([["Read"], "Body"])
    expect(tools("---\ntools: Read\n---")).toEqual([["Read"], ""])
    expect(tools("text\n---\ntools: Read\n---\n")).toEqual([undefined, "text\n---\ntools: Read\n---\n"])
  })
  test("without its end it is text, unless it holds a limit", () => {
    expect(tools("---\n# A title\nmore")).toEqual([undefined, "---\n# A title\nmore"])
    expect(tools("---\nname: a\ntools: Read\nmore")).toBe(
      "its front matter has no second line of dashes, and it has the field tools; end it with a line of three dashes",
    )
  })
})

/** A value with what people put around values: quotes, comments, blanks, one of the notations for lists. */
const comment = fc.constantFrom("", " # reads only", "   # see: below, [x]", " #")
const quote = fc.constantFrom("", "'", '"')
const blank = fc.constantFrom(" ", "  ", "   ")
const tool = fc.constantFrom(
  "Bash",
  "Write",
  "Edit",
  "Read",
  "WebFetch",
  "mcp__db__*",
  "Bash(rm:*)",
  "Bash(a: b)",
  "bash",
)
const names = fc.array(tool, { minLength: 1, maxLength: 4 })
const dressed = (items: readonly string[]): fc.Arbitrary<string> =>
  fc
    .record({
      quote,
      comment,
      blank,
      notation: fc.constantFrom("line", "brackets", "items", "flush", "tabs", "quoted"),
    })
    .map(({ quote: q, comment: c, blank: b, notation }) => {
      const all = items.map((item) => q + item + q)
      if (notation === "line") return `${b}${all.join(", ")}${c}`
      if (notation === "quoted") return `${b}${q}${items.join(",")}${q}${c}`
      if (notation === "brackets") return `${b}[${all.join(`,${b}`)}]${c}`
      const indent = notation === "items" ? "  " : notation === "tabs" ? "\t" : ""
      return `${c}\n${all.map((item) => `${indent}-${b}${item}${c}`).join("\n")}`
    })
const disturbance = fc.constantFrom(
  "description: plain",
  "description: Use this: when",
  'description: "not closed',
  "description: |\n  tools: Bash\n  permissionMode: default",
  "description: >\n  a: b",
  "description: 'it''s # fine'",
  "x: [a] [b]",
  "# a comment: here",
  "",
)
const spellings = {
  tools: ["tools", "Tools", '"tools"'],
  denied: ["disallowedTools", "disallowed-tools", "disallowed_tools"],
}

test("whatever stands around a limit, it is kept or the file is rejected: never wider than it was written", () => {
  const outcome = { kept: 0, rejected: 0 }
  const file = fc
    .tuple(names, names, fc.constantFrom("plan", "default"), fc.integer({ min: 1, max: 99 }))
    .chain(([tools, denied, mode, turns]) =>
      fc.record({
        limits: fc.constant({ tools, denied, mode, turns }),
        lines: fc
          .tuple(
            fc.tuple(fc.constantFrom(...spellings.tools), dressed(tools)).map(([key, text]) => `${key}:${text}`),
            fc.tuple(fc.constantFrom(...spellings.denied), dressed(denied)).map(([key, text]) => `${key}:${text}`),
            fc.tuple(quote, comment, blank).map(([q, c, b]) => `permissionMode:${b}${q}${mode}${q}${c}`),
            fc.tuple(quote, comment, blank).map(([q, c, b]) => `maxTurns:${b}${q}${turns}${q}${c}`),
            disturbance,
          )
          .chain((lines) => fc.shuffledSubarray([...lines], { minLength: lines.length })),
        end: fc.constantFrom("\n", "\r\n"),
      }),
    )
  fc.assert(
    fc.property(file, ({ limits, lines, end }) => {
      const head = ["name: a", ...lines].join("\n").replaceAll("\n", end)
      const decoded = decodeFrontMatter("agent", `---${end}${head}${end}---${end}Body`)
      if (!decoded.ok) return void outcome.rejected++
      outcome.kept++
      const { value } = decoded
      // Never a tool more than was written, never a denial less, and the rest as it is.
      expect(limits.tools).toEqual(expect.arrayContaining([...(value.list("tools") ?? ["everything"])]))
      expect(value.list("disallowedTools")).toEqual(expect.arrayContaining(limits.denied))
      expect([value.text("permissionMode"), value.count("maxTurns")]).toEqual([limits.mode, limits.turns])
    }),
    { ...runs(500) },
  )
  // Rejecting everything would hold the promise, too.
  expect(outcome.kept).toBeGreaterThan(outcome.rejected)
})

test("whatever stands in a file, it is understood or rejected, and nothing throws", () => {
  const pieces = fc.constantFrom(
    "a: ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "&a",
    "*a",
    "|",
    ">",
    "'",
    '"',
    "#",
    "? ",
    "tools:",
    "---\n",
    "\t",
    "<<: ",
    "!!x",
    "%",
    "\r\n",
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 40 }), (parts) => {
      const decoded = decodeFrontMatter("agent", `---\n${parts.join("")}\n---\nBody`)
      expect(typeof (decoded.ok ? decoded.value.body : decoded.failure)).toBe("string")
    }),
    { ...runs(500) },
  )
})

test("fields that came as JSON are held to the same", () => {
  const denied = decodeFields("agent", { disallowedTools: ["Bash"], maxTurns: 2 })
  expect(denied.ok && [denied.value.list("disallowedTools"), denied.value.count("maxTurns")]).toEqual([["Bash"], 2])
  expect(decodeFields("agent", { disallowedTools: { Bash: true } }).ok).toBe(false)
})

test.each(["<!-- by hand -->\n---\nname: a\n---\nBody", "\n<!-- two\nlines -->\n\n---\r\nname: a\n---\nBody"])(
  "an HTML comment may come before front matter: %j",
  (text) => {
    expect(splitFrontMatter(text)).toMatchObject({ kind: "head", head: "name: a", body: "Body" })
  },
)

test.each([
  "<!-- open\n---\nname: a\n---\nBody",
  "<!-- a --> words\n---\nname: a\n---\n",
  "words\n---\nname: a\n---\n",
])("anything else before it does not: %j", (text) => {
  expect(splitFrontMatter(text).kind).toBe("none")
})

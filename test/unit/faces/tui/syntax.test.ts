/** Code in colours: every character stays, roles are found, and what goes over several lines is carried over. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { addedTint, removedTint } from "#faces/tui/screen/style.ts"
import { diffRows } from "#faces/tui/parts/diff.ts"
import { documentRows, markdownRows } from "#faces/tui/parts/markdown.ts"
import { codeLines } from "#faces/tui/syntax/colours.ts"
import { languageNamed, languageOfFile } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan } from "#faces/view/syntax/scan.ts"
import { grow, nothing } from "#faces/view/pieces.ts"

const languages = "ts js python rust go java c c++ json yaml toml sh html css sql tsx bash yml jsx cpp rs py".split(" ")

/** The tokens that are not plain, as `role:text`. */
function roles(name: string, ...lines: readonly string[]): string[] {
  const language = languageNamed(name)
  if (!language) throw new Error(`no language ${name}`)
  const scan = openScan(language)
  let open: OpenToken = undefined
  return lines.flatMap((line) => {
    const scanned = scan(line, open)
    open = scanned.open
    return scanned.tokens.flatMap(({ text, role }) => (role === "plain" ? [] : [`${role}:${text}`]))
  })
}

test("the common languages are known, by name and by file", () => {
  for (const name of languages) expect(languageNamed(name)).toBeDefined()
  expect(languageOfFile("src/a.ts")).toBe(languageNamed("ts"))
  expect(languageOfFile("Makefile")).toBeUndefined()
  expect(languageNamed("constructor")).toBeUndefined()
})

describe("roles", () => {
  test("in TypeScript", () => {
    expect(roles("ts", 'const x = f("a\\"b", 1.5) // c')).toEqual([
      "keyword:const",
      'string:"a\\"b"',
      "number:1.5",
      "comment:// c",
    ])
    expect(roles("ts", "a /* b", "const */ let `c", "${d}` if")).toEqual([
      "comment:/* b",
      "comment:const */",
      "keyword:let",
      "string:`c",
      "string:${d}`",
      "keyword:if",
    ])
  })

  test("in other languages", () => {
    expect(roles("python", 'def f(): """a', 'b""" # c')).toEqual([
      "keyword:def",
      'string:"""a',
      'string:b"""',
      "comment:# c",
    ])
    expect(roles("json", '{"a": "b", "c": [1, true]}')).toEqual([
      'key:"a"',
      'string:"b"',
      'key:"c"',
      "number:1",
      "constant:true",
    ])
    expect(roles("sql", "SELECT * FROM t -- x")).toEqual(["keyword:SELECT", "keyword:FROM", "comment:-- x"])
    expect(roles("sh", 'echo "a $b" # c')).toEqual(["keyword:echo", 'string:"a $b"', "comment:# c"])
    expect(roles("html", '<a href="x">if</a>')).toEqual([
      "keyword:<a",
      "key:href",
      'string:"x"',
      "keyword:>",
      "keyword:</a",
      "keyword:>",
    ])
  })
})

test("no character is lost, added or left to steer the terminal", () => {
  fc.assert(
    fc.property(fc.constantFrom(...languages), fc.string({ unit: "grapheme" }), (name, text) => {
      const line = text.replaceAll("\n", "")
      const language = languageNamed(name)
      if (!language) throw new Error(name)
      expect(
        openScan(language)(line, undefined)
          .tokens.map((token) => token.text)
          .join(""),
      ).toBe(line)
    }),
  )
  const drawn = codeLines(["const a = '\u001b[2J\u001b]0;x\u0007'"], "ts").join("")
  for (const sequence of ["\u001b[2J", "\u001b]", "\u0007"]) expect(drawn).not.toContain(sequence)
})

describe("blocks of code", () => {
  const plain = (rows: readonly string[]): string[] => rows.map((row) => Bun.stripANSI(row))

  test("have no frame, so that they can be copied", () => {
    expect(plain(documentRows("So:\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\nDone.", 60))).toEqual([
      "So:",
      "",
      "  const a = 1",
      "",
      "  const b = 2",
      "",
      "Done.",
    ])
  })

  test("keep the colours of what began before they were cut", () => {
    const code = ["/* long", ...Array.from({ length: 20 }, (_, i) => `const line ${i}`), "*/", "const x = 1"]
    const { settled, open } = grow(nothing, `\`\`\`ts\n${code.join("\n")}\n\`\`\`\n`)
    const rows = [...settled, open].flatMap((piece) => markdownRows(piece, 60))
    expect(plain(rows)).toEqual(code.map((line) => `  ${line}`))
    expect(rows.filter((row) => row.includes("\u001b[35mconst"))).toHaveLength(1)
  })

  test("of differences show what comes and goes", () => {
    expect(codeLines(["-a", "+b", " c"], "diff")).toEqual(["\u001b[31m-a\u001b[39m", "\u001b[32m+b\u001b[39m", " c"])
  })

  test("boxes that are done look as in the list of work", () => {
    expect(plain(documentRows("- [x] a\n- [ ] b", 40)).join("\n")).toMatch(/☑ a\n.*☐ b/)
  })
})

describe("differences", () => {
  const rows = (...lines: string[]): readonly string[] =>
    diffRows(
      { path: "a.ts", created: false, hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }] },
      80,
      40,
    ).rows

  test("colour what stays by the language, and mark words where several lines changed", () => {
    const drawn = rows(" const a = 1", "-let first = one()", "+let first = two()", "+// more", "+let x = 3")
    expect(drawn[0]).toContain("\u001b[35mconst\u001b[39m")
    expect(drawn[1]).toContain(`${removedTint.word}one\u001b[24;27m${removedTint.line}`)
    expect(drawn[2]).toContain(`${addedTint.word}two\u001b[24;27m${addedTint.line}`)
    expect(drawn[3]).toContain("\u001b[2m// more\u001b[22m")
    expect(drawn[4]).toContain("\u001b[35mlet\u001b[39m")
    expect(drawn[4]).not.toContain(addedTint.word)
  })

  test("never say that one line is left out in the place of that line", () => {
    const lines = Array.from({ length: 41 }, (_, i) => `+line ${i}`)
    const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 41, lines }
    expect(diffRows({ path: "a", created: true, hunks: [hunk] }, 80, 40)).toMatchObject({ hidden: 0 })
    expect(diffRows({ path: "a", created: true, hunks: [hunk] }, 80, 39)).toMatchObject({ hidden: 2 })
  })
})

/** Markdown as data. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Block, blocksOf } from "#faces/view/markdown.ts"
import { type Inline, inlinesOf, plainAddress } from "#faces/view/markdown-inline.ts"
import { atNight, runs } from "../../../kit/runs.ts"

const text = (words: string): Inline => ({ kind: "text", text: words })
const paragraph = (words: string): Block => ({ kind: "paragraph", inlines: [text(words)] })

describe("blocks", () => {
  test("headings, paragraphs, rules and quotes", () => {
    expect(blocksOf("# One #\nfirst\nsecond\n\n---\n> a\n> b")).toEqual([
      { kind: "heading", level: 1, inlines: [text("One")] },
      paragraph("first\nsecond"),
      { kind: "rule" },
      { kind: "quote", blocks: [paragraph("a\nb")] },
    ])
  })

  test("code keeps its lines, and goes on to the end if it is never closed", () => {
    expect(blocksOf("```ts\na\n\n  # b\n```\nafter")).toEqual([
      { kind: "code", language: "ts", lines: ["a", "", "  # b"] },
      paragraph("after"),
    ])
    expect(blocksOf("~~~\nopen\n```\n")).toEqual([{ kind: "code", language: "", lines: ["open", "```"] }])
  })

  test("lists nest, have boxes and numbers, and end where other text begins", () => {
    expect(blocksOf("- one\n  - [x] two\n- three\n\n  more\n\n3. a\n4. b\n# End")).toEqual([
      {
        kind: "list",
        start: undefined,
        items: [
          {
            checked: undefined,
            blocks: [
              paragraph("one"),
              { kind: "list", start: undefined, items: [{ checked: true, blocks: [paragraph("two")] }] },
            ],
          },
          { checked: undefined, blocks: [paragraph("three"), paragraph("more")] },
        ],
      },
      {
        kind: "list",
        start: 3,
        items: [
          { checked: undefined, blocks: [paragraph("a")] },
          { checked: undefined, blocks: [paragraph("b")] },
        ],
      },
      { kind: "heading", level: 1, inlines: [text("End")] },
    ])
  })

  test("a table has as many cells in each row as in its head", () => {
    expect(blocksOf("a | b\n--|:-:\n`x|y` | 1 | 2\nz")).toEqual([
      {
        kind: "table",
        head: [[text("a")], [text("b")]],
        rows: [[[{ kind: "code", text: "x|y" }], [text("1")]]],
      },
      paragraph("z"),
    ])
  })

  test("HTML is text", () => {
    expect(blocksOf("<script>alert(1)</script>")).toEqual([paragraph("<script>alert(1)</script>")])
  })
})

describe("inlines", () => {
  test("emphasis, code and what only looks like them", () => {
    expect(inlinesOf("**a *b***, ``c`d``, ~~e~~, snake_case_name, 2 * 3 * 4, \\*f\\*")).toEqual([
      { kind: "strong", inlines: [text("a "), { kind: "emphasis", inlines: [text("b")] }] },
      text(", "),
      { kind: "code", text: "c`d" },
      text(", "),
      { kind: "strike", inlines: [text("e")] },
      text(", snake_case_name, 2 * 3 * 4, *f*"),
    ])
  })

  test("links in all their forms, and pictures only by name", () => {
    const link = (href: string, words: string): Inline => ({ kind: "link", href, inlines: [text(words)] })
    expect(inlinesOf('[a](https://x.y/(z) "t") <https://b.c> see https://d.e/f). ![p](https://g.h/i.png)')).toEqual([
      link("https://x.y/(z)", "a"),
      text(" "),
      link("https://b.c", "https://b.c"),
      text(" see "),
      link("https://d.e/f", "https://d.e/f"),
      text("). "),
      { kind: "image", alt: "p", src: "https://g.h/i.png" },
    ])
  })

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example",
    "/api/sessions",
    "https://good.example@evil.example/",
  ])("%p is no address to open", (href) => {
    expect(plainAddress(href)).toBeUndefined()
  })
})

/** Everything that would be shown. */
function shownIn(blocks: readonly Block[]): string {
  return JSON.stringify(blocks, (key, value: unknown) => (key === "kind" ? undefined : value))
}

test("whatever the text is, letters are neither lost nor added", () => {
  const mark = fc.constantFrom(
    "*",
    "_",
    "`",
    "~~",
    "[",
    "](",
    ")",
    "# ",
    "- ",
    "> ",
    "|",
    "---",
    "\n",
    "\n\n",
    "```\n",
    "<",
    "!",
    "  ",
    "\\",
  )
  const letter = fc.constantFrom("a", "b", "ü", "字", "Q")
  fc.assert(
    fc.property(fc.array(fc.oneof(mark, letter), { maxLength: 60 }), (parts) => {
      const markdown = parts.join("")
      const letters = (from: string): string => [...from.replaceAll(/[^abü字Q]/gu, "")].toSorted().join("")
      const shown = shownIn(blocksOf(markdown)).replaceAll(
        /"(?:inlines|blocks|items|lines|language|head|rows|level|start|checked|href|alt|src|text)":/g,
        "",
      )
      // A row of a table may have more cells than its head, and a block of code more than the name of a language in its first line.
      const isWhole = !/\||`{3}|~{3}/.test(markdown)
      if (isWhole) expect(letters(shown.replaceAll(/true|false|null/g, ""))).toBe(letters(markdown))
    }),
    { ...runs(700) },
  )
})

test("no text takes long", () => {
  const hostile = [
    "*",
    "_a",
    "[",
    "![",
    "`a",
    "> ",
    "- ",
    "**a ",
    "[a](",
    "[[a]",
    "https://(",
    "|",
    "~~~\n",
    "&",
    "<https://",
  ]
  for (const part of hostile) {
    const markdown = part.repeat(Math.ceil(atNight(200_000, 60_000) / part.length))
    expect(shownIn(blocksOf(markdown)).length).toBeGreaterThan(0)
  }
})

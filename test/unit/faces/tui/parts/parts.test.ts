/** What colours say: which words changed, what is dangerous, and that no style leaks from row to row. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { touchesNothing } from "#agent/words/footprint.ts"
import { openPermission, permissionShown } from "#faces/tui/dialogs/permission.ts"
import { diffRows } from "#faces/tui/parts/diff.ts"
import { markdownRows } from "#faces/tui/parts/markdown.ts"
import { selfContained } from "#faces/tui/screen/rows.ts"
import { onlyStyles } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped, wrappedBelow } from "#faces/tui/screen/width.ts"
import { hunksOf } from "#lib/diff.ts"
import { runs } from "../../../../kit/runs.ts"

// oxlint-disable-next-line no-control-regex -- styles are control sequences.
const withoutStyles = (text: string): string => text.replace(/\u001b\[[\d;:]*m/g, "")

const seen = (text: string): string => JSON.stringify(text).replaceAll("\\u001b", "^")

test("a difference marks the words that changed, in what went and in what came", async () => {
  const hunks = await hunksOf("let total = price + tax\n", "let total = price * tax\n")
  const { rows } = diffRows({ path: "a", hunks, created: false }, 80, 40)
  expect(rows.map(seen)).toEqual([
    '"^[48;5;52m^[31m1^[39m ^[31m-^[39m let total = price ^[48;5;88m+^[24;27m^[48;5;52m tax^[48;5;52m^[K^[49m"',
    '"^[48;5;22m^[32m1^[39m ^[32m+^[39m let total = price ^[48;5;28m*^[24;27m^[48;5;22m tax^[48;5;22m^[K^[49m"',
  ])
})

test("side by side, every line stands once on its side, and nothing is wider than the screen", () => {
  const line = fc.tuple(fc.constantFrom(" ", "+", "-"), fc.string({ unit: "grapheme", maxLength: 90 }))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 130, max: 200 }),
      (given, columns) => {
        // Told apart by what no random line contains.
        const lines = ["-first", "+first", ...given.map(([mark, text], i) => `${mark}#${i}# ${text}`)]
        const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }
        const { rows } = diffRows({ path: "a.ts", created: false, hunks: [hunk] }, columns, 1000)
        const plain = rows.map((row) => Bun.stripANSI(row))
        for (const row of plain) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
        const sides = plain.map((row) => {
          const left = Bun.sliceAnsi(row, 0, Math.floor((columns - 3) / 2))
          return [left, row.slice(left.length)] as const
        })
        for (const [i, [mark]] of given.entries()) {
          const on = (side: 0 | 1): number => sides.filter((pair) => pair[side].includes(`#${i}# `)).length
          expect([on(0), on(1)]).toEqual(mark === " " ? [1, 1] : mark === "-" ? [1, 0] : [0, 1])
        }
      },
    ),
    runs(60),
  )
})

test("a difference shows what a terminal would hide", async () => {
  const hunks = await hunksOf("a\n", "a\u202e\u200b\u001b[31m\n")
  const { rows } = diffRows({ path: "a", hunks, created: false }, 80, 40)
  expect(Bun.stripANSI(rows.join("\n"))).toContain("a<U+202E><U+200B>")
})

describe("a permission question", () => {
  const body = (command: string): string =>
    permissionShown(
      openPermission({
        kind: "permission",
        callId: "c",
        tool: "Bash",
        title: "Bash",
        input: { command },
        footprint: touchesNothing(),
        decision: { behavior: "ask", reason: { kind: "default" }, message: "It asks.", trace: [] },
      }),
      200,
    ).thing.join("\n")

  test.each(["rm", "sudo", "--force", "-rf", "| sh", "> ", "curl"])("marks %s", (word) => {
    expect(body(`do ${word} it`)).toContain(`\u001b[1m\u001b[31m${word.trimEnd()}\u001b[39m`)
  })

  test.each(["alarm", "rm.txt", "src/rm/x", "--forced", "sudoku"])("does not mark %s", (word) => {
    expect(body(`do ${word} it`)).not.toContain("\u001b[31m")
  })
})

const styled = fc
  .array(
    fc.constantFrom(
      "\u001b[1m",
      "\u001b[31m",
      "\u001b[0m",
      "\u001b[39m",
      "\u001b[22m",
      "\u001b[48;5;236m",
      "a",
      "日",
      " b ",
      "\n",
    ),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(""))

test("each row closes what it opens, and loses no letter", () => {
  fc.assert(
    fc.property(styled, (text) => {
      const rows = selfContained(text.split("\n"))
      expect(withoutStyles(rows.join("\n"))).toBe(withoutStyles(text))
      for (const row of rows) expect(selfContained([row, "x"])[1]).toBe("x")
    }),
  )
})

test("rows are never wider than they may be, and only spaces at their breaks are lost", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "日", "é", "👩‍💻", " "), maxLength: 60 })
  fc.assert(
    fc.property(word, fc.integer({ min: 4, max: 30 }), (text, columns) => {
      const rows = wrapped(text, columns)
      for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
      expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""))
      expect(widthOf(fitted(text, columns))).toBeLessThanOrEqual(columns)
    }),
  )
})

test("Markdown of anything gives styles and text, nothing else", () => {
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        "\u001b[2J",
        "\u009b2J",
        "\u001b]0;x\u0007",
        "&#27;[2J",
        "&#x9b;",
        "```\n",
        "**",
        "[a](\u001b)",
        "\n",
        "|",
        "<b>",
      ),
      fc.string({ unit: "binary", maxLength: 10 }),
    ),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(hostile, fc.integer({ min: 10, max: 100 }), (parts, columns) => {
      const rows = markdownRows({ markdown: parts.join(""), joint: "apart", openCode: false }, columns)
      for (const row of rows) {
        expect(widthOf(row)).toBeLessThanOrEqual(columns)
        // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
        expect(withoutStyles(row)).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
      }
    }),
  )
  expect(onlyStyles("a\u001b[31mb\u001b[2Jc\u009b1md\u0007")).toBe("a\u001b[31mb[2Jc1md")
})

test("what continues a row stands below its text, beside the name at the left, also if it is one long path", () => {
  const log = "/tmp/a/state/projects/-tmp-a-home/e957f9bc-fb7d-43bc-8a1f-296d469dbab2.jsonl"
  const rows = wrappedBelow(`Session      e957f9bc\n             ${log}\nMCP servers  none`, 46)
  expect(rows[0]).toBe("Session      e957f9bc")
  expect(rows.slice(1, -1).every((row) => /^ {13}\S/.test(row) && row.length <= 46)).toBe(true)
  expect(rows.slice(1, -1).join("").replaceAll(" ", "")).toBe(log)
  expect(wrappedBelow("MCP servers  github (connected), tracker (needs login)", 40)).toEqual([
    "MCP servers  github (connected), tracker",
    "             (needs login)",
  ])
})

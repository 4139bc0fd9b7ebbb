/** Links: which addresses become one, and that none can end its own sequence. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { fileLink, withLinks } from "#faces/tui/screen/link.ts"
import { cyan } from "#faces/tui/screen/style.ts"

const link = (url: string): string => `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\`

test.each([
  ["see https://a.org/b now", `see ${link("https://a.org/b")} now`],
  ["(https://a.org/b).", `(${link("https://a.org/b")}).`],
  ["https://a.org/wiki/A_(b), or", `${link("https://a.org/wiki/A_(b)")}, or`],
  ["http://a.org and https://b.org ", `${link("http://a.org")} and ${link("https://b.org")} `],
  [cyan("https://a.org/b"), cyan(link("https://a.org/b"))],
  // Nothing but http and https.
  ["javascript://a.org file:///etc/passwd ftp://a.org", "javascript://a.org file:///etc/passwd ftp://a.org"],
  ["https:// is no address", "https:// is no address"],
  // Cut off, so it would lead elsewhere.
  ["see https://a.org/b…", "see https://a.org/b…"],
])("%j", (row, wanted) => {
  expect(withLinks(row, 80)).toBe(wanted)
})

test("an address that reaches the edge may go on in the next row, and is left alone", () => {
  const row = `https://a.org/${"b".repeat(26)}`
  expect(withLinks(row, 40)).toBe(row)
  expect(withLinks(row, 80)).toBe(link(row))
})

test("whatever is in a row, only the text that is seen is linked, and its width stays", () => {
  const piece = fc.constantFrom(
    "https://",
    "http://x.y",
    "/",
    "…",
    ")",
    "é",
    "日本",
    "\u001b[36m",
    "\u001b[39m",
    " ",
    "%",
    "a",
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const row = pieces.join("")
      const linked = withLinks(row, 60)
      expect(Bun.stripANSI(linked)).toBe(Bun.stripANSI(row))
      // oxlint-disable-next-line no-control-regex -- links are control sequences.
      for (const [, url, shown] of linked.matchAll(/\u001b\]8;;([^\u001b]+)\u001b\\([^\u001b]*)/g))
        expect(shown).toBe(url)
    }),
  )
})

test("a file's name cannot end the sequence", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 30 }), (name) => {
      const opened = fileLink("shown", `/home/${name}`)
      // oxlint-disable-next-line no-control-regex -- links are control sequences.
      expect(opened).toMatch(/^\u001b\]8;;file:\/\/[!-~]*\u001b\\shown\u001b\]8;;\u001b\\$/)
    }),
  )
})

/** The escaper: nothing that a terminal would obey comes through, and nothing that a reader needs is lost. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { forConsent, forReading, stripControls, forReview, markHidden } from "#lib/printable.ts"

// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const hiding = /[\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

test("no control character comes through any of them, whatever the text", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.constantFrom("\u001b[2J", "\u001b]0;x\u0007", "\u009b", "\u202e", "\u200b", "é", "👩‍💻"),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("")
      for (const safe of [stripControls, forReading, forReview, forConsent]) expect(safe(text)).not.toMatch(controls)
      for (const open of [forReading, forReview, forConsent]) expect(open(text)).not.toMatch(hiding)
      expect(forConsent(text)).not.toContain("\n")
    }),
  )
})

test("what letters and emoji need stays for reading; where one consents, joiners of letters are shown", () => {
  const family = "👩‍💻 نمی‌دانم"
  expect(forReading(family)).toBe(family)
  expect(forReview(family)).toBe("👩‍💻 نمی<U+200C>دانم")
})

test("what reorders or hides is a mark, also where styles must stay", () => {
  expect(forReading("a\u202eb\u200bc\ufeff")).toBe("a<U+202E>b<U+200B>c<U+FEFF>")
  expect(markHidden("\u001b[1ma\u2066\u001b[22m")).toBe("\u001b[1ma<U+2066>\u001b[22m")
  expect(forReading("x\u{e0041}")).toBe("x<U+E0041>")
  // Tags that have no meaning yet are as invisible as the others.
  for (const shown of [forReading, forReview, forConsent]) expect(shown("x\u{e0002}")).toBe("x<U+E0002>")
})

test("one line stays one line, and says what was in it", () => {
  expect(forConsent("rm a\nb\u001b[2J")).toBe("rm a<U+000A>b<U+001B>[2J")
  expect(forConsent("a\tb")).toBe("a\tb")
})

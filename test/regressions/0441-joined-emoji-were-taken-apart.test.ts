/** A family or a flag in an edit, a command or a name was shown as its parts with `<U+200D>` between them. */

import { expect, test } from "bun:test"
import { forConsent, forReading, forReview } from "#lib/printable.ts"

const [family, rainbow, heart, coder, england] = ["👩‍👩‍👧", "🏳️‍🌈", "❤️‍🔥", "👩🏽‍💻", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]

test("an emoji of several characters is one picture everywhere", () => {
  const text = `x ${family}${rainbow} ${heart} y ${coder} ${england}`
  for (const shown of [forReading, forReview, forConsent]) expect(shown(text)).toBe(text)
})

test("a joiner or a tag that is part of no such emoji is shown where one consents", () => {
  for (const [text, shown] of [
    ["a\u200db", "a<U+200D>b"],
    ["👩\u200d", "👩<U+200D>"],
    ["👩\u200drm", "👩<U+200D>rm"],
    ["👩\u200d\u202e👧", "👩<U+200D><U+202E>👧"],
    [`${family}\u200d\u200d👧`, `${family}<U+200D><U+200D>👧`],
    ["🏴\u{e0067}\u{e0062}", "🏴<U+E0067><U+E0062>"],
    [`${england}\u{e0067}`, `${england}<U+E0067>`],
  ] as const)
    for (const marked of [forReview, forConsent]) expect(marked(text)).toBe(shown)
})

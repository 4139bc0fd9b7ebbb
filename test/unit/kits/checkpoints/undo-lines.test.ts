/** Some of the changed lines of a text are undone; what was edited since stays, whatever the texts are. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { undoLines } from "#kits/checkpoints/undo-lines.ts"
import { hunksOf } from "#lib/diff.ts"

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`)

/** Replaces one line by others. */
const withLine = (lines: readonly string[], at: number, ...now: readonly string[]): string[] => [
  ...lines.slice(0, at),
  ...now,
  ...lines.slice(at + 1),
]

describe("Undoing lines", () => {
  const before = numbered(40)
  const after = withLine(withLine(before, 30, "third\n"), 5, "first\n", "second\n")

  test("takes one hunk and leaves the others", async () => {
    const texts = { before: before.join(""), after: after.join("") }
    const [first, second] = await hunksOf(texts.before, texts.after)
    if (!first || !second) throw new Error("two hunks were expected")
    expect(await undoLines({ ...texts, now: texts.after }, [first])).toEqual({
      text: withLine(before, 30, "third\n").join(""),
      left: [],
    })
    expect((await undoLines({ ...texts, now: texts.after }, [second])).text).toBe(
      withLine(before, 5, "first\n", "second\n").join(""),
    )
  })

  test("finds them where edits above have moved them", async () => {
    const texts = { before: before.join(""), after: after.join("") }
    const hunks = await hunksOf(texts.before, texts.after)
    const now = ["mine\n", "mine too\n", ...after].join("")
    expect(await undoLines({ ...texts, now }, hunks)).toEqual({
      text: ["mine\n", "mine too\n", ...before].join(""),
      left: [],
    })
  })

  test("leaves a hunk alone in which a line was edited", async () => {
    const texts = { before: before.join(""), after: after.join("") }
    const hunks = await hunksOf(texts.before, texts.after)
    const now = withLine(after, 6, "second, but better\n").join("")
    const { text, left } = await undoLines({ ...texts, now }, hunks)
    expect(left).toEqual(hunks.slice(0, 1))
    expect(text).toContain("second, but better\n")
    expect(text).toContain("line 31\n")
  })

  test("does not glue lines together where the last one has no end", async () => {
    const hunks = await hunksOf("a", "a\nb\n")
    expect((await undoLines({ before: "a", after: "a\nb\n", now: "a\nb\nmine\n" }, hunks)).text).toBe("a\nmine\n")
  })

  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n"), { maxLength: 30 })
    .chain((lines) => fc.constantFrom("", "end").map((end) => lines.join("") + end))

  test("of all hunks gives the text before, exactly", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (old, young) => {
        const hunks = await hunksOf(old, young)
        expect(await undoLines({ before: old, after: young, now: young }, hunks)).toEqual({ text: old, left: [] })
      }),
    )
  })

  test("never loses a line that somebody added since", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(fc.nat(30), { maxLength: 4 }), async (old, young, places) => {
        const lines = young.match(/[^\n]*\n|[^\n]+$/g) ?? []
        const now = [...lines]
        for (const [i, place] of places.entries()) now.splice(Math.min(place, now.length), 0, `mine ${i}\n`)
        const edited = now.map((line, i) => (i < now.length - 1 && !line.endsWith("\n") ? `${line}\n` : line)).join("")
        const undone = await undoLines({ before: old, after: young, now: edited }, await hunksOf(old, young))
        for (const i of places.keys()) expect(undone.text).toContain(`mine ${i}\n`)
      }),
    )
  })
})

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Call } from "#agent/words/middleware.ts"
import type { ResultContent } from "#agent/words/message.ts"
import { boundResults, type KeepResult } from "#kits/context/bound.ts"
import { failed, ok } from "#lib/result.ts"

async function through(content: ResultContent, limit: number, keep?: KeepResult) {
  const kept: string[] = []
  const layer = boundResults(
    keep ??
      (async (_id, text) => {
        kept.push(text)
        return ok("/kept")
      }),
  )
  const call = { callId: "c", tool: { maxResultChars: limit } } as Call
  const outcome = await layer(call, async () => ({ content, isError: false, data: { a: 1 } }))
  return { outcome, kept }
}

describe("a result's bound", () => {
  test("what fits stays as it is", async () => {
    const { outcome, kept } = await through("x".repeat(100), 100)
    expect(outcome).toEqual({ content: "x".repeat(100), isError: false, data: { a: 1 } })
    expect(kept).toEqual([])
  })

  test("what does not is kept whole and cut to its beginning and end, with a word where the rest is", async () => {
    const { outcome, kept } = await through(`${"a".repeat(100)}${"b".repeat(100)}`, 20)
    const note =
      "[cut: of 200 characters only the beginning and the end are shown. The whole result is in /kept; Read it in parts.]"
    expect(outcome.content).toBe(`${"a".repeat(10)}\n${note}\n${"b".repeat(10)}`)
    expect(outcome.data).toEqual({ a: 1 })
    expect(kept).toEqual([`${"a".repeat(100)}${"b".repeat(100)}`])
  })

  test("what programs and people get of a cut result has the same limit", async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`)
    const whole = lines.join("\n")
    const layer = boundResults(async () => ok("/kept"))
    const call = { callId: "c", tool: { maxResultChars: 60 } } as Call
    const outcome = await layer(call, async () => ({
      content: whole,
      isError: false,
      data: { content: whole, filenames: lines, count: 100, deep: [{ text: whole }] },
      display: { kind: "list", items: lines },
    }))
    expect(outcome.data).toEqual({
      content: outcome.content,
      filenames: lines.slice(0, 4),
      count: 100,
      deep: [{ text: outcome.content }],
    })
    expect(outcome.display).toEqual({ kind: "list", items: lines.slice(0, 4), note: "[96 more are not shown]" })
  })

  test("texts in blocks count together; pictures do not count", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "x".repeat(500) } } as const
    const fits: ResultContent = [{ type: "text", text: "x".repeat(50) }, image]
    expect((await through(fits, 50)).outcome.content).toBe(fits)
    const long: ResultContent = [
      { type: "text", text: "a".repeat(40) },
      { type: "text", text: "b".repeat(40) },
    ]
    expect((await through(long, 50)).kept).toEqual([`${"a".repeat(40)}\n${"b".repeat(40)}`])
  })

  test("what cannot be kept is cut all the same, and the model is told", async () => {
    const { outcome } = await through("x".repeat(100), 20, async () => failed("the disk is full"))
    expect(outcome.content).toContain("It could not be kept (the disk is full).")
  })

  test("whatever it is, it is no longer than its limit and the note, and no character is cut in half", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 400 }),
        fc.integer({ min: 2, max: 200 }),
        async (text, limit) => {
          const { outcome } = await through(text, limit)
          const content = String(outcome.content)
          expect(content.length).toBeLessThanOrEqual(limit + 250)
          expect(content.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})

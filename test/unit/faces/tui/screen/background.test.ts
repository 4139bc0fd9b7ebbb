/** The answer to how light the background is: found however it comes in parts, and never mistaken for keys. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openBackgroundReader } from "#faces/tui/screen/background.ts"

function read(parts: readonly string[], now = (): number => 0): { readonly input: string; readonly answers: string[] } {
  const answers: string[] = []
  let input = ""
  const take = openBackgroundReader({
    now,
    onAnswer: (answer) => answers.push(answer),
    onInput: (more) => (input += more),
  })
  for (const part of parts) take(part)
  return { input, answers }
}

test.each([
  ["\u001b]11;rgb:ffff/ffff/ffff\u001b\\", "light"],
  ["\u001b]11;rgb:fa/f4/ed\u0007", "light"],
  ["\u001b]11;rgba:ffff/ffff/ffff/ffff\u0007", "light"],
  ["\u001b]11;rgb:0000/0000/0000\u001b\\", "dark"],
  ["\u001b]11;rgb:1e1e/1e1e/2e2e\u0007", "dark"],
  // Blue is dark to the eye, yellow is light.
  ["\u001b]11;rgb:0000/0000/ffff\u0007", "dark"],
  ["\u001b]11;rgb:ffff/ffff/0000\u0007", "light"],
] as const)("%j", (answer, wanted) => {
  expect(read([answer])).toEqual({ input: "", answers: [wanted] })
})

test("however it is portioned, what was typed comes through whole and in order", () => {
  const answer = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\"
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme-ascii", maxLength: 8 }),
      fc.string({ unit: "grapheme-ascii", maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 44 }), { maxLength: 6 }),
      (before, after, cuts) => {
        const all = before + answer + after
        // Between the escape and what follows it nobody can tell an answer from the key.
        const from = before.length + 1
        const places = [...new Set(cuts)].filter((cut) => cut < all.length && cut !== from).sort((a, b) => a - b)
        const parts = [0, ...places].map((start, i) => all.slice(start, places[i]))
        expect(read(parts)).toEqual({ input: before + after, answers: ["light"] })
      },
    ),
  )
})

test("keys that look like its beginning are given on when no answer comes", () => {
  let now = 0
  const answers: string[] = []
  let input = ""
  const take = openBackgroundReader({
    now: () => now,
    onAnswer: (answer) => answers.push(answer),
    onInput: (more) => (input += more),
  })
  take("\u001b]")
  expect(input).toBe("")
  take("x")
  expect(input).toBe("\u001b]x")
  now = 5000
  take("\u001b]11;rgb:ffff/ffff/ffff\u0007")
  expect(answers).toEqual([])
})

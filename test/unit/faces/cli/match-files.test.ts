/** Files by a few letters: the right ones, the best first, also among a hundred thousand. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openFileMatcher } from "#faces/cli/terminal/match-files.ts"

const holds = (path: string, letters: string): boolean => {
  let at = 0
  for (const letter of letters.toLowerCase()) {
    at = path.toLowerCase().indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

const linesOf = (paths: readonly string[]): string => paths.map((path) => `${path}\n`).join("")

const many = Array.from({ length: 100_000 }, (_, i) => `packages/module-${i % 300}/src/feature-${i % 977}/file-${i}.ts`)

test("among very many the file that is meant comes first, letter by letter and back again", async () => {
  const paths = [...many, "src/faces/tui/keymap.ts", "docs/Keymap.md", "k/e/y/m/a/p/x.ts"]
  const matcher = openFileMatcher(linesOf(paths))
  for (const letters of ["k", "ke", "key", "keym", "keyma", "keymap"]) await matcher.find(letters)
  expect((await matcher.find("keymap")).toSorted()).toEqual([
    "docs/Keymap.md",
    "k/e/y/m/a/p/x.ts",
    "src/faces/tui/keymap.ts",
  ])
  expect((await matcher.find("keymap.ts"))[0]).toBe("src/faces/tui/keymap.ts")
  expect((await matcher.find("tuikey"))[0]).toBe("src/faces/tui/keymap.ts")
  expect((await matcher.find("file-54321"))[0]).toBe("packages/module-21/src/feature-586/file-54321.ts")
  expect(await matcher.find("no such file")).toEqual([])
  expect(await matcher.find("")).toHaveLength(20)
})

test("among very many, typing on and deleting find what a new search finds", async () => {
  const paths = linesOf(many.slice(0, 20_000))
  const matcher = openFileMatcher(paths)
  for (const letters of ["f", "fi", "fil", "file9", "fil", "fi", "fi3", "m2f", "m2", "f"])
    expect([letters, await matcher.find(letters)]).toEqual([letters, await openFileMatcher(paths).find(letters)])
})

test("what is found holds the letters, whatever was looked for before", async () => {
  const path = fc.stringMatching(/^[ab/.]{1,6}$/)
  const letters = fc.stringMatching(/^[abAB.]{0,3}$/)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { maxLength: 30 }),
      fc.array(letters, { maxLength: 6 }),
      async (paths, asked) => {
        const matcher = openFileMatcher(linesOf(paths))
        for (const given of asked) {
          const found = await matcher.find(given)
          const all = paths.filter((each) => holds(each, given))
          expect(found.every((each) => all.includes(each))).toBe(true)
          expect(found).toHaveLength(Math.min(20, all.length))
          expect(found).toEqual(await openFileMatcher(linesOf(paths)).find(given))
        }
      },
    ),
  )
})

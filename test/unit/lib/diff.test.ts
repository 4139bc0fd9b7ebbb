import { expect, test } from "bun:test"
import { applyPatch } from "diff"
import fc from "fast-check"
import { hunksOf } from "#lib/diff.ts"

test("one change with its surroundings", async () => {
  const before = "a\nb\nc\nd\ne\nf\ng\nh\n"
  expect(await hunksOf(before, before.replace("e\n", "E\n"))).toEqual([
    { oldStart: 2, oldLines: 7, newStart: 2, newLines: 7, lines: [" b", " c", " d", "-e", "+E", " f", " g", " h"] },
  ])
})

test("a new file, an emptied file and a changed line end", async () => {
  expect(await hunksOf("", "a\nb\n")).toEqual([
    { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+a", "+b"] },
  ])
  expect(await hunksOf("a\n", "")).toEqual([{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ["-a"] }])
  expect(await hunksOf("a", "a\n")).toEqual([
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+a"] },
  ])
  expect(await hunksOf("x", "x")).toEqual([])
})

test("changes far apart are hunks of their own", async () => {
  const before = Array.from({ length: 40 }, (_, i) => `${i}\n`)
  const after = before.with(3, "three\n").with(30, "thirty\n")
  const hunks = await hunksOf(before.join(""), after.join(""))
  expect(hunks.map(({ oldStart }) => oldStart)).toEqual([1, 28])
})

test("hunks applied to the old text give the new one", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 })
    .map((all) => [...all, "last"].map((line) => `${line}\n`).join(""))
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const hunks = (await hunksOf(before, after)).map((hunk) => ({ ...hunk, lines: [...hunk.lines] }))
      const patch = { oldFileName: "a", newFileName: "a", oldHeader: "", newHeader: "", hunks }
      expect(applyPatch(before, patch)).toBe(after)
    }),
  )
})

test("rewriting a huge file is bounded", async () => {
  const large = (word: string) => Array.from({ length: 50_000 }, (_, i) => `${word} ${i}\n`).join("")
  const [hunk] = await hunksOf(large("old"), large("new"))
  expect(hunk?.lines.length).toBe(4000)
  expect(hunk?.oldLines).toBe(50_000)
})

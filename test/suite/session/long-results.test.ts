/** Results beyond a tool's limit: a search shows a page of them, what a command printed is kept in a file. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

test("a search that finds more than fits shows what fits, and an offset leads to the rest", async () => {
  const lines = Array.from({ length: 4_000 }, (_, i) => `needle ${i} ${"🙂é".repeat(20)}`)
  const grep = (offset: number) => use("Grep", { pattern: "needle", output_mode: "content", head_limit: 0, offset })
  await using t = await openTestSession({
    files: { "hay.txt": `${lines.join("\n")}\n` },
    script: [calls(grep(0)), calls(grep(3_999)), says("Many.")],
  })
  await t.prompt("find")
  const [first, last] = t.results().map(({ content }) => String(content))
  expect(first?.length).toBeLessThan(100_000)
  expect(first).toMatch(/\n\[lines 1 to (\d+) of 4000; continue with offset \1\]$/)
  expect(first?.isWellFormed()).toBe(true)
  expect(last).toStartWith("hay.txt:4000:needle 3999 ")
})

test("what was kept can be read without asking anyone", async () => {
  await using t = await openTestSession({
    script: [
      calls(bash("seq 1 20000")),
      { capture: { path: /(\S+\.txt)/ }, content: [use("Read", { file_path: "${capture.path}", offset: 19_999 })] },
      says("Seen."),
    ],
  })
  expect(await t.prompt("count")).toEqual({ reason: "completed" })
  const [first, second] = t.results()
  expect(String(first?.content).length).toBeLessThan(40_000)
  expect(second).toMatchObject({ isError: false })
  expect(String(second?.content)).toContain("20000")
})

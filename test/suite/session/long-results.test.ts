/** Results beyond a tool's limit are kept whole in a file and cut for the model. */

import { expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const wholePath = /The whole result is in (\S+); Read it in parts\./

test("a search that finds more than fits is cut, and the file has all of it", async () => {
  const lines = Array.from({ length: 4_000 }, (_, i) => `needle ${i} ${"🙂é".repeat(20)}`)
  await using t = await openTestSession({
    files: { "hay.txt": `${lines.join("\n")}\n` },
    script: [calls(use("Grep", { pattern: "needle", output_mode: "content", head_limit: 0 })), says("Many.")],
  })
  await t.prompt("find")
  const content = String(t.results()[0]?.content)
  const path = wholePath.exec(content)?.[1] ?? ""
  expect(content.length).toBeLessThan(101_000)
  expect(content).toMatch(/\[cut: of \d+ characters only the beginning and the end are shown\./)
  expect(content.isWellFormed()).toBe(true)
  const whole = readFileSync(path, "utf8")
  expect(whole).toContain("needle 0 ")
  expect(whole).toContain("needle 3999 ")
  expect(statSync(path).mode & 0o777).toBe(0o600)
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

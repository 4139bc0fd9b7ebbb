/** The log has the output of a command once, and of a result that was cut what was told, not all of it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says, use } from "../kit/script.ts"

const resultLine = (log: string): string =>
  readFileSync(log, "utf8")
    .split("\n")
    .find((line) => line.includes('"type":"tool_result"')) ?? ""

test("a command's output", async () => {
  await using t = await openTestSession({ script: [calls(bash("seq 1000 4999")), says("Counted.")] })
  await t.prompt("count")
  const [result] = t.results()
  const told = String(result?.content)
  expect(told.length).toBeGreaterThan(19_000)
  expect(resultLine(t.logPath).length).toBeLessThan(JSON.stringify(told).length + 1_500)
})

test("a search that found more than fits", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `needle ${n} ${"straw ".repeat(8)}`)
  await using t = await openTestSession({
    files: { "hay.txt": `${lines.join("\n")}\n` },
    script: [calls(use("Grep", { pattern: "needle", output_mode: "content", head_limit: 0 })), says("Many.")],
  })
  await t.prompt("find")
  const [result] = t.results()
  const told = String(result?.content)
  expect(resultLine(t.logPath).length).toBeLessThan(JSON.stringify(told).length + 2_500)
  expect(result?.display).toMatchObject({ kind: "list", note: expect.stringContaining("continue with offset") })
})

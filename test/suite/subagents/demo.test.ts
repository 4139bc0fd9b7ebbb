/** The demo of the simulator starts agents of its own: over the real program, on a real folder. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

setDefaultTimeout(300_000)

test("agents explain and search at once, and their answers are told", async () => {
  using place = openPlace({ "README.md": "# Lamp\n\nA lamp that shines.\n", "src/lamp.ts": "export const glow = 1\n" })
  const run = await runCodewright({
    place,
    argv: [
      "-p",
      "have agents explain this project and find glow",
      "--model",
      "sim",
      "--output-format",
      "stream-json",
      "--verbose",
    ],
  })
  expect(run.code).toBe(0)
  const started = run.stdout.split("\n").filter((line) => line.includes('"task_started"'))
  expect(started).toHaveLength(2)
  const result = run.stdout.trim().split("\n").at(-1) ?? ""
  expect(result).toContain("A lamp that shines.")
  expect(result).toContain("src/lamp.ts:1:export const glow = 1")
  expect(result.split("built-in simulator").length - 1).toBe(1)
})

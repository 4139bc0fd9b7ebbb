/** What commands print for people: broken between words in a terminal, as it is in a pipe. */

import { expect, test } from "bun:test"
import { openScreenRun } from "../kit/open-screen.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "")

test("an explanation has the same words in a terminal and in a pipe, and no line of it is cut in a word", async () => {
  using place = openPlace()
  const argv = ["permissions", "explain", "Bash", "npm install left-pad && rm -rf build"]
  const piped = await runCodewright({ place, argv })
  expect(Math.max(...piped.stdout.split("\n").map((line) => line.length))).toBeGreaterThan(44)
  await using run = await openScreenRun({ place, argv, columns: 44, rows: 60 })
  await run.exited
  expect(wordsOf(await run.terminal.all())).toEqual(wordsOf(piped.stdout))
})

test("a row of the doctor continues below its text", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: ["doctor"], columns: 30, rows: 60 })
  await run.exited
  expect(await run.terminal.all()).toContain("ok    settings: no errors;\n      this folder is trusted\n")
})

/** A script could not see that `codewright rewind` had left something behind: it ended with 0, as after a whole one. */

import { expect, test } from "bun:test"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, write } from "../kit/script.ts"

test("exit code 3 and partial, or 0", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv: ["-p", "write", "--output-format", "json", "--permission-mode", "acceptEdits"],
    scenario: [calls(write("a.txt", "ours"), write("b.txt", "ours")), says("Done.")],
  })
  const id = String(linesOf(run.stdout).at(-1)?.session_id)
  const rewind = (...argv: readonly string[]) => runCodewright({ place, argv: ["rewind", id, ...argv] })
  place.write("a.txt", "theirs")
  const preview = await rewind("--to", "1", "--dry-run")
  expect(preview.code).toBe(0)
  const partial = await rewind("--to", "1")
  expect(partial.code).toBe(3)
  expect(partial.stdout).toStartWith("Partly rewound: not everything could be restored.")
  expect(partial.stdout).toContain("kept a.txt")
  expect(await place.read("a.txt")).toBe("theirs")

  place.write("b.txt", "theirs")
  const redone = await rewind("--redo", "--json")
  expect(redone.code).toBe(3)
  expect(JSON.parse(redone.stdout)).toMatchObject({ partial: true })

  const whole = await rewind("--to", "1", "--force", "--json")
  expect(whole.code).toBe(0)
  expect(JSON.parse(whole.stdout)).toMatchObject({ partial: false, gaps: [] })
})

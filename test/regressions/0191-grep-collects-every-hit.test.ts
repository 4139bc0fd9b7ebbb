/** Grep collected everything to show 250 lines: a million hits took 332 MB. */

import { expect, test } from "bun:test"
import { chmodSync } from "node:fs"
import { openTools } from "../unit/kits/tools/open-tools.ts"

test("a search that would never end is ended when the page is full", async () => {
  let program = ""
  await using t = openTools({ ripgrep: async () => program })
  // Without end: the path, a NUL, a number and the text.
  program = t.put("endless", `#!/bin/sh\nyes '${t.path("a.txt")}@7:found' | tr '@' '\\0'\n`)
  chmodSync(program, 0o755)
  const said = (await t.say("Grep", { pattern: "x", output_mode: "content" })).split("\n")
  expect(said).toHaveLength(251)
  expect(said[0]).toBe("a.txt:7:found")
  expect(said.at(-1)).toBe("[lines 1 to 250 of more than 2500; continue with offset 250]")
})

test("with no limit, as much as fits into a result is shown, and an offset leads to the rest", async () => {
  await using t = openTools()
  t.put("a.txt", Array.from({ length: 30_000 }, (_, i) => `x${i + 1}`).join("\n"))
  const grep = async (offset: number): Promise<readonly string[]> =>
    (await t.say("Grep", { pattern: "x", output_mode: "content", head_limit: 0, offset })).split("\n")
  const first = await grep(0)
  expect(first.join("\n").length).toBeLessThan(100_000)
  const [, last = ""] =
    /^\[lines 1 to (\d+) of more than 20000; continue with offset \d+\]$/.exec(first.at(-1) ?? "") ?? []
  expect(first).toHaveLength(Number(last) + 1)
  expect((await grep(Number(last)))[0]).toBe(`a.txt:${Number(last) + 1}:x${Number(last) + 1}`)
  const end = await grep(29_998)
  expect(end).toEqual(["a.txt:29999:x29999", "a.txt:30000:x30000"])
})

/** What is too long for the conversation, in a file of its own. */

import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { keepResult } from "#ground/transcript/keep.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("a result is kept under the id of its call, for nobody else to read; the newer one counts", async () => {
  using folder = temporaryFolder()
  const kept = await keepResult(folder.path, "call/../1", "one")
  if (!kept.ok) throw new Error(kept.failure)
  expect(kept.value).toBe(folder.join("results/call____1.txt"))
  expect(statSync(kept.value).mode & 0o777).toBe(0o600)
  await keepResult(folder.path, "call/../1", "two")
  expect(readFileSync(kept.value, "utf8")).toBe("two")
})

test("what is there already stays when only a part of it is to be kept now", async () => {
  using folder = temporaryFolder()
  const whole = await keepResult(folder.path, "c", "the whole result")
  expect(await keepResult(folder.path, "c", "the [cut] result", "absent")).toEqual(whole)
  expect(readFileSync(folder.join("results/c.txt"), "utf8")).toBe("the whole result")
  expect(await keepResult(folder.path, "d", "new", "absent")).toEqual({ ok: true, value: folder.join("results/d.txt") })
})

test("where nothing can be kept the reason is given", async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("results"), "a file in the way")
  for (const when of ["always", "absent"] as const)
    expect(await keepResult(folder.path, "c", "x", when)).toMatchObject({ ok: false })
})

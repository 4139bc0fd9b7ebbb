/**
 * Deleting a session removed every snapshot of its folder that no local log names. Sessions of a server that work in
 * the same folder have their logs in a database, and lost theirs.
 */

import { expect, test } from "bun:test"
import { readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, write } from "../kit/script.ts"

test("what a session with its log elsewhere goes back to is kept; what only the deleted one needed is gone", async () => {
  using place = openPlace()
  const session = async (file: string): Promise<string> => {
    const run = await runCodewright({
      place,
      argv: ["-p", "write", "--output-format", "json", "--permission-mode", "acceptEdits"],
      scenario: [calls(write(file, "one")), calls(write(file, "two")), says("Done.")],
    })
    return String(linesOf(run.stdout).at(-1)?.session_id)
  }
  const [local, remote] = [await session("a.txt"), await session("b.txt")]
  const files = (under: string): readonly string[] =>
    readdirSync(join(place.state, under), { recursive: true, encoding: "utf8" }).sort()
  const log = join(place.state, "projects", files("projects").find((name) => name.endsWith(`${remote}.jsonl`)) ?? "")
  renameSync(log, join(place.path, "log"))
  const before = files("file-history")
  expect(await runCodewright({ place, argv: ["sessions", "delete", local, "--yes"] })).toMatchObject({ code: 0 })
  renameSync(join(place.path, "log"), log)
  expect(files("file-history").length).toBeLessThan(before.length)
  expect(await runCodewright({ place, argv: ["rewind", remote, "--to", "1"] })).toMatchObject({ code: 0 })
  expect(readdirSync(place.work)).toEqual(["a.txt"])
  expect(await runCodewright({ place, argv: ["rewind", remote, "--redo"] })).toMatchObject({ code: 0 })
  expect(await place.read("b.txt")).toBe("two")
})

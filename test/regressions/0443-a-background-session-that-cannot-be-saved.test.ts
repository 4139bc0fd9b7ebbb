/** A state folder without room ended `--bg` as a bug, and each try left a branch and advice about a commit that was there. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"

const git = (place: Place, ...argv: readonly string[]): string =>
  Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: place.work })
    .stdout.toString()
    .trim()

const inBackground = ["--bg", "--trust", "hi", "--model", "sim"]

test("what cannot be written is named", async () => {
  using place = openPlace()
  place.write(join(place.state, "background"), "")
  expect(await runCodewright({ argv: inBackground, place })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^error: The session cannot be saved in .*\/state \([A-Z]+\)\. Free disk space, or set CODEWRIGHT_HOME to a folder that can be written\.\n$/,
    ),
  })
})

test("a worktree that cannot be made leaves no branch", async () => {
  using place = openPlace({ "a.txt": "" })
  git(place, "init", "-q", "-b", "main")
  git(place, "add", ".")
  git(place, "commit", "-qm", "first")
  mkdirSync(place.state)
  for (const name of ["worktrees", "background"]) place.write(join(place.state, name), "")
  const { code, stderr } = await runCodewright({ argv: inBackground, place })
  expect(code).toBe(1)
  expect(stderr).toStartWith("The session works in this folder. No worktree could be made: fatal: ")
  expect(stderr).not.toContain("Preparing")
  expect(stderr).not.toContain("last commit")
  expect(git(place, "branch", "--format=%(refname:short)")).toBe("main")
})

test("a repository without a commit is told so", async () => {
  using place = openPlace()
  git(place, "init", "-q", "-b", "main")
  const { code, stderr } = await runCodewright({ argv: ["-w", "-p", "--trust", "hi"], place })
  expect([code, stderr]).toEqual([
    1,
    "error: No worktree could be made: it begins with the last commit, and this repository has none.\n",
  ])
})

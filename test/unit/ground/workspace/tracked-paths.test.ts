/** Git's list of files, read without git, says what git says. */

import { expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import fc from "fast-check"
import { trackedPaths } from "#ground/workspace/git/tracked-paths.ts"
import { runs } from "../../../kit/runs.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync("git", ["-c", "core.quotePath=false", ...argv], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  })

const name = fc.constantFrom("a", "a-b", "a.b", "é", "日本", "x".repeat(150), "b c")
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))

test("every version of the list, from the top and from a folder", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 1, maxLength: 25 }),
      fc.constantFrom(2, 4),
      fc.boolean(),
      async (paths, version, hasIntent) => {
        using folder = temporaryFolder()
        git(folder.path, "init", "-q")
        git(folder.path, "config", "index.version", String(version))
        for (const one of paths)
          try {
            mkdirSync(dirname(folder.join(`in/${one}`)), { recursive: true })
            writeFileSync(folder.join(`in/${one}`), one)
          } catch {
            // It is a folder, or in a file.
          }
        symlinkSync("in", folder.join("link"))
        git(folder.path, "add", ".")
        writeFileSync(folder.join("new"), "")
        // The third version, which has more flags.
        if (hasIntent) git(folder.path, "add", "-N", "new")
        const listed = git(folder.path, "ls-files", "--", ".", ":!link")
        expect(trackedPaths(folder.path, 0)).toBe(listed)
        expect(trackedPaths(folder.join("in"), 0)).toBe(git(folder.join("in"), "ls-files"))
        expect(trackedPaths(folder.path, 1_000_000)).toBeUndefined()
      },
    ),
    { ...runs(6) },
  )
})

test("what is not checked out is left out, and a list of another kind is not read", () => {
  using folder = temporaryFolder()
  expect(trackedPaths(folder.path, 0)).toBeUndefined()
  git(folder.path, "init", "-q")
  for (const one of ["a", "b"]) writeFileSync(folder.join(one), one)
  git(folder.path, "add", ".")
  git(folder.path, "update-index", "--skip-worktree", "a")
  expect(trackedPaths(folder.path, 0)).toBe("b\n")
  git(folder.path, "update-index", "--split-index")
  expect(trackedPaths(folder.path, 0)).toBeUndefined()
  writeFileSync(folder.join(".git/index"), "DIRC nonsense")
  expect(trackedPaths(folder.path, 0)).toBeUndefined()
})

/** Patches as git writes them, read back as files and passages. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { patchFiles } from "#faces/tui/changes.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("files that were made, changed, removed and renamed, whatever they are called and hold", () => {
  using tmp = temporaryFolder()
  const git = (...argv: readonly string[]): string =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: tmp.path }).stdout.toString()
  git("init", "-q")
  mkdirSync(tmp.join("src"))
  writeFileSync(tmp.join("src/with blank.txt"), "one\ntwo\nthree\n")
  writeFileSync(tmp.join("gone.txt"), "--- a/not a head\n")
  writeFileSync(tmp.join("picture.png"), Buffer.from([0, 1, 2]))
  git("add", "-A")
  git("commit", "-qm", "first")
  writeFileSync(tmp.join("src/with blank.txt"), "one\n2\nthree\n")
  rmSync(tmp.join("gone.txt"))
  writeFileSync(tmp.join('日"本.txt'), "+++ b/not a head\ndiff --git a/x b/x\n@@ -1 +1 @@\nno end")
  writeFileSync(tmp.join("picture.png"), Buffer.from([0, 1, 3]))
  git("add", "-A")
  expect(patchFiles(git("diff", "--cached", "HEAD")).toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    {
      path: "gone.txt",
      created: false,
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ["---- a/not a head"] }],
    },
    { path: "picture.png", created: false, hunks: [] },
    {
      path: "src/with blank.txt",
      created: false,
      hunks: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", " three"] }],
    },
    {
      path: '日"本.txt',
      created: true,
      hunks: [
        {
          oldStart: 0,
          oldLines: 0,
          newStart: 1,
          newLines: 4,
          lines: ["++++ b/not a head", "+diff --git a/x b/x", "+@@ -1 +1 @@", "+no end"],
        },
      ],
    },
  ])
})

test("anything at all is read without a mistake, and nothing is nothing", () => {
  expect(patchFiles("")).toEqual([])
  const line = fc.constantFrom(
    "diff --git a/x b/x",
    '+++ "b/\\303\\244',
    "@@ -1 +1 @@",
    "+a",
    "-b",
    " c",
    "\\ No newline",
    "",
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 12 }), (lines) => {
      patchFiles(lines.join("\n"))
    }),
  )
})

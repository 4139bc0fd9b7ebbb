/** Glob, Grep and LS over a small project with a .gitignore and dotfiles. */

import { expect, test } from "bun:test"
import { utimesSync } from "node:fs"
import type { TestSession } from "../../kit/open-test-session.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

const files = {
  ".gitignore": "out/\n",
  ".env": "KEY=needle\n",
  "src/old.ts": "needle one\nplain\nNeedle two\n",
  "src/new.ts": "plain\nneedle three\nplain\nplain\nneedle four\n",
  "src/deep/other.js": "needle five\n",
  "out/made.ts": "needle made\n",
  "read.md": "plain\n",
  "src/.hidden.ts": "needle hidden\n",
}

/** Newest first needs files of different ages. */
function age(t: TestSession): void {
  utimesSync(t.path("src/old.ts"), 1_000, 1_000)
  utimesSync(t.path("src/deep/other.js"), 2_000, 2_000)
  utimesSync(t.path("src/new.ts"), 3_000, 3_000)
}

test("Glob gives paths, newest first, without what is ignored", async () => {
  await using t = await openTestSession({
    files: { ...files, ...Object.fromEntries(Array.from({ length: 102 }, (_, i) => [`many/f${i}.txt`, ""])) },
    script: [
      calls(use("Glob", { pattern: "**/*.{ts,js}" }), use("Glob", { pattern: "*.ts", path: "src" })),
      calls(
        use("Glob", { pattern: ".env*" }),
        use("Glob", { pattern: "*.rs" }),
        use("Glob", { pattern: "src/new.ts/*" }),
      ),
      calls(use("Glob", { pattern: "many/*" })),
      says("Found."),
    ],
  })
  age(t)
  await play(t)
  const [first, second, third] = given(t)
  expect(first).toEqual(["src/new.ts\nsrc/deep/other.js\nsrc/old.ts", "src/new.ts\nsrc/old.ts"])
  expect(second).toEqual([
    ".env",
    "No files match *.rs. To look in all folders below, use **/*.rs.",
    { error: "/p/src/new.ts is a file; Read shows it." },
  ])
  const note = "The newest 100 of 102 files; narrow the pattern to see others."
  expect(third).toEqual([expect.stringMatching(/^(many\/f\d+\.txt\n){100}\[The newest 100 of 102 files; narrow/)])
  expect(displays(t).slice(0, 5)).toEqual([
    { kind: "list", items: ["src/new.ts", "src/deep/other.js", "src/old.ts"] },
    { kind: "list", items: ["src/new.ts", "src/old.ts"] },
    { kind: "list", items: [".env"] },
    { kind: "list", items: [] },
    undefined,
  ])
  expect(displays(t)[5]).toMatchObject({ kind: "list", note })
})

test("Grep lists files, shows lines or counts them, page by page", async () => {
  const grep = (more: Parameters<typeof use>[1]) => use("Grep", { pattern: "needle", ...more })
  await using t = await openTestSession({
    files,
    script: [
      calls(grep({}), grep({ head_limit: 1, offset: 1 }), grep({ type: "js" }), grep({ glob: ".env" })),
      calls(
        grep({ output_mode: "content", glob: "*.ts" }),
        grep({ output_mode: "content", path: "src/old.ts", "-i": true, "-n": false }),
        grep({ output_mode: "content", path: "src/new.ts", "-C": 1 }),
        grep({ output_mode: "content", head_limit: 2, offset: 1 }),
      ),
      calls(
        grep({ output_mode: "count" }),
        use("Grep", { pattern: "plain.needle", multiline: true, output_mode: "count" }),
        use("Grep", { pattern: "nowhere" }),
        grep({ offset: 9 }),
        use("Grep", { pattern: "a(" }),
      ),
      says("Found."),
    ],
  })
  age(t)
  await play(t)
  const [listed, lines, counts] = given(t)
  expect(listed).toEqual([
    "src/new.ts\nsrc/deep/other.js\nsrc/old.ts",
    "src/deep/other.js\n[files 2 to 2 of 3; continue with offset 2]",
    "src/deep/other.js",
    ".env",
  ])
  expect(lines).toEqual([
    "src/new.ts:2:needle three\nsrc/new.ts:5:needle four\nsrc/old.ts:1:needle one",
    "src/old.ts:needle one\nsrc/old.ts:Needle two",
    "src/new.ts-1-plain\nsrc/new.ts:2:needle three\nsrc/new.ts-3-plain\nsrc/new.ts-4-plain\nsrc/new.ts:5:needle four",
    "src/new.ts:2:needle three\nsrc/new.ts:5:needle four\n[lines 2 to 3 of 4; continue with offset 3]",
  ])
  expect(counts).toEqual([
    "src/deep/other.js:1\nsrc/new.ts:2\nsrc/old.ts:1\n[4 matching lines in 3 files]",
    "src/new.ts:2\n[2 matching lines in 1 file]",
    "No matches.",
    "Nothing from offset 9 on; there are 3 files.",
    { error: "rg: regex parse error:\n    (?:a()\n    ^\nerror: unclosed group" },
  ])
  expect(displays(t).slice(0, 2)).toEqual([
    { kind: "list", items: ["src/new.ts", "src/deep/other.js", "src/old.ts"] },
    { kind: "list", items: ["src/deep/other.js"], note: "[files 2 to 2 of 3; continue with offset 2]" },
  ])
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([])
})

test("LS shows a tree, dotfiles too, without what is ignored", async () => {
  await using t = await openTestSession({
    files,
    script: [
      calls(use("LS", {}), use("LS", { path: "src", ignore: ["deep"] }), use("LS", { path: "read.md" })),
      says("Seen."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    [
      "/p/\n  src/\n    deep/\n      other.js\n    .hidden.ts\n    new.ts\n    old.ts\n  .env\n  .gitignore\n  read.md",
      "/p/src/\n  .hidden.ts\n  new.ts\n  old.ts",
      { error: "/p/read.md is a file; Read shows it." },
    ],
  ])
  expect(displays(t)[1]).toEqual({ kind: "list", items: ["/p/src/", "  .hidden.ts", "  new.ts", "  old.ts"] })
})

/** Write: new files with their folders, files that were read, and no others. */

import { expect, test } from "bun:test"
import { chmodSync, statSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, write } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

test("a file is created with its folders; one that exists is written only after it was read", async () => {
  await using t = await openTestSession({
    files: { "old.sh": "echo old\n" },
    script: [
      calls(write("deep/er/new.txt", "one\ntwo\n"), write("old.sh", "echo new\n")),
      calls(read("old.sh")),
      calls(write("old.sh", "echo new\n")),
      says("Written."),
    ],
  })
  chmodSync(t.path("old.sh"), 0o755)
  await play(t)
  expect(given(t)).toEqual([
    [
      "Created /p/deep/er/new.txt (2 lines).",
      { error: "/p/old.sh exists but was not read in this conversation. Read it first, then repeat the call." },
    ],
    ["1\techo old"],
    ["Wrote /p/old.sh (1 line)."],
  ])
  expect(t.read("deep/er/new.txt")).toBe("one\ntwo\n")
  expect(t.read("old.sh")).toBe("echo new\n")
  expect(statSync(t.path("old.sh")).mode & 0o777).toBe(0o755)
  expect(displays(t)).toEqual([
    {
      kind: "diff",
      path: "/p/deep/er/new.txt",
      created: true,
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+one", "+two"] }],
    },
    { kind: "text", text: "The file was not read yet" },
    { kind: "text", text: "1 line" },
    {
      kind: "diff",
      path: "/p/old.sh",
      created: false,
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-echo old", "+echo new"] }],
    },
  ])
  expect(t.story().filter((line) => /^(decision|intent)/.test(line))).toEqual([
    "decision allow Write by mode",
    "intent Write deep/er/new.txt",
    "decision allow Read by read_only",
    "decision allow Write by mode",
    "intent Write old.sh",
  ])
})

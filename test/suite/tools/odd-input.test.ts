/** Calls that are not quite right: what can be understood is, and of the rest the model hears what is wrong. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { given, play } from "./played.ts"

test("an unknown tool, an unknown field and a missing one are named, and nothing is run", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [
      calls(use("Raed", { file_path: "a.txt" }), read("a.txt")),
      calls(use("Frobnicate", {})),
      calls(use("Read", { filepath: "a.txt" })),
      calls(use("Write", { file_path: "b.txt", content: "b", mode: "0644" })),
      calls(use("Grep", { pattern: "a", output_mode: "lines" })),
      says("Understood."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    [
      { error: "There is no tool named Raed. Did you mean Read?" },
      { error: "Not run: an earlier call in this answer failed." },
    ],
    [
      {
        error: expect.stringMatching(
          /^There is no tool named Frobnicate\. The tools are Read, Write, .*, WebSearch\.$/,
        ),
      },
    ],
    [
      {
        error:
          "Read was not run: its input is not valid. Unknown field `filepath`; did you mean `file_path`? Field `file_path` is missing.",
      },
    ],
    [
      {
        error: "Write was not run: its input is not valid. Unknown field `mode`; the fields are file_path, content.",
      },
    ],
    [
      {
        error:
          "Grep was not run: its input is not valid. Field `output_mode` must be one of files_with_matches, content, count.",
      },
    ],
  ])
  expect(existsSync(t.path("b.txt"))).toBe(false)
  expect(t.story().filter((line) => /^(decision|intent)/.test(line))).toEqual([])
})

test("numbers and booleans sent as strings are taken for what they are", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\ntwo\none\n" },
    script: [
      calls(use("Read", { file_path: "a.txt", offset: "2", limit: "1" })),
      calls(use("Edit", { file_path: "a.txt", old_string: "one", new_string: "1", replace_all: "true" })),
      calls(use("Grep", { pattern: "ONE|TWO", output_mode: "content", "-i": "true", "-n": "false", head_limit: "5" })),
      calls(use("Bash", { command: "pwd", timeout: "5000", run_in_background: "false" })),
      calls(use("Read", { file_path: "a.txt", offset: "two" })),
      says("Taken."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    ["2\ttwo\n\n[Lines 2 to 2 of 3. Continue with offset 3.]"],
    ["Edited /p/a.txt in 2 places.\n1\t1\n2\ttwo\n3\t1"],
    ["a.txt:two"],
    ["/p"],
    [{ error: "Read was not run: its input is not valid. Field `offset` must be a whole number, not a string." }],
  ])
  expect(t.read("a.txt")).toBe("1\ntwo\n1\n")
})

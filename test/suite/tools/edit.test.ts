/** Edit: one place, all places, a new file; and what it says when the text is not there, or there too often. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, edit, read, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

test("an edit needs a read and a unique text, and shows what the place has become", async () => {
  await using t = await openTestSession({
    files: { "a.ts": "const a = 1\r\nconst b = a\r\nconst c = a\r\n" },
    script: [
      calls(edit("a.ts", "const a = 1", "const a = 2")),
      calls(read("a.ts")),
      calls(edit("a.ts", "= a", "= a + 1")),
      calls(edit("a.ts", "const d = 1", "const d = 2")),
      calls(edit("a.ts", "const a = 1", "const a = 2")),
      calls(use("Edit", { file_path: "a.ts", old_string: "= a", new_string: "= a + 1", replace_all: true })),
      calls(edit("new.ts", "", "export {}\n"), edit("a.ts", "same", "same")),
      says("Edited."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    [{ error: "/p/a.ts exists but was not read in this conversation. Read it first, then repeat the call." }],
    ["1\tconst a = 1\n2\tconst b = a\n3\tconst c = a"],
    [
      {
        error:
          "old_string occurs 2 times in /p/a.ts (lines 2, 3). Give more of its surroundings, or set replace_all to change them all.",
      },
    ],
    [
      {
        error:
          "old_string is not in /p/a.ts. The closest passage is:\n1\tconst a = 1\nCopy the text exactly as it is there, without the line numbers.",
      },
    ],
    ["Edited /p/a.ts.\n1\tconst a = 2\n2\tconst b = a\n3\tconst c = a"],
    ["Edited /p/a.ts in 2 places.\n1\tconst a = 2\n2\tconst b = a + 1\n3\tconst c = a + 1"],
    ["Created /p/new.ts.\n1\texport {}", { error: "old_string and new_string are the same, so nothing would change." }],
  ])
  expect(t.read("a.ts")).toBe("const a = 2\r\nconst b = a + 1\r\nconst c = a + 1\r\n")
  expect(t.read("new.ts")).toBe("export {}\n")
  expect(displays(t)[4]).toEqual({
    kind: "diff",
    path: "/p/a.ts",
    created: false,
    hunks: [
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        lines: ["-const a = 1", "+const a = 2", " const b = a", " const c = a"],
      },
    ],
  })
  // What cannot be done is neither asked for nor announced.
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([
    "intent Edit a.ts",
    "intent Edit a.ts",
    "intent Edit new.ts",
  ])
})

test("several edits: over several files or in one, all or nothing", async () => {
  const files = { "a.ts": "a = 1\nb = 2\n", "b.ts": "import a\n" }
  await using t = await openTestSession({
    files,
    script: [
      calls(read("a.ts"), read("b.ts")),
      calls(
        use("MultiEdit", {
          edits: [
            { file_path: "a.ts", old_string: "a = 1", new_string: "z = 1" },
            { file_path: "new.ts", old_string: "", new_string: "new\n" },
            { file_path: "b.ts", old_string: "import b", new_string: "import z" },
          ],
        }),
      ),
      calls(
        use("MultiEdit", {
          edits: [
            { file_path: "a.ts", old_string: "a = 1", new_string: "z = 1" },
            { file_path: "b.ts", old_string: "import a", new_string: "import z" },
          ],
        }),
      ),
      calls(
        use("MultiEdit", {
          file_path: "a.ts",
          edits: [
            { old_string: "z = 1", new_string: "y = 1" },
            // Starts from what the edit before it left.
            { old_string: "y = 1\nb", new_string: "y = 1\nc" },
          ],
        }),
      ),
      says("Edited."),
    ],
  })
  await play(t)
  const [, failure, several, single] = given(t)
  expect(failure).toEqual([
    {
      error:
        "Edit 3 of 3 cannot be made, so none was. old_string is not in /p/b.ts. The closest passage is:\n1\timport a\nCopy the text exactly as it is there, without the line numbers.",
    },
  ])
  expect(several).toEqual([
    "Made 2 edits in 2 files.\nEdited /p/a.ts:\n1\tz = 1\n2\tb = 2\nEdited /p/b.ts:\n1\timport z",
  ])
  expect(single).toEqual(["Made 2 edits in 1 file.\nEdited /p/a.ts:\n1\ty = 1\n2\tc = 2"])
  expect(t.read("a.ts")).toBe("y = 1\nc = 2\n")
  expect(t.read("b.ts")).toBe("import z\n")
  expect(existsSync(t.path("new.ts"))).toBe(false)
  expect(displays(t).slice(2)).toEqual([
    { kind: "text", text: "No edit made; 3 of 3: The text to replace is not in the file" },
    {
      kind: "diffs",
      files: [
        expect.objectContaining({ path: "/p/a.ts", created: false }),
        expect.objectContaining({ path: "/p/b.ts", created: false }),
      ],
    },
    {
      kind: "diff",
      path: "/p/a.ts",
      created: false,
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ["-z = 1", "-b = 2", "+y = 1", "+c = 2"] }],
    },
  ])
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([
    "intent MultiEdit a.ts and 1 more",
    "intent MultiEdit a.ts (2 edits)",
  ])
})

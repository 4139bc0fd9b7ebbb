/** In the list of `/rewind`, prompts that changed nothing had the number of files changed since. */

import { expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, edit, read, says, write } from "../kit/script.ts"

test("each prompt says what it changed itself, and what would be undone", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n" },
    script: [
      says("Nothing to do."),
      calls(read("a.txt"), edit("a.txt", "one", "two")),
      says("Done."),
      calls(read("a.txt")),
      says("Read."),
      calls(write("b.txt", "b")),
      says("Done."),
    ],
  })
  for (const prompt of ["hello", "edit it", "look", "write it"]) await t.prompt(prompt)
  const points = await t.ask({ type: "points" })
  expect(points.ok && points.value.map(({ text, own, files }) => ({ text, own, files }))).toEqual([
    { text: "hello", own: [], files: ["a.txt", "b.txt"] },
    { text: "edit it", own: ["a.txt"], files: ["a.txt", "b.txt"] },
    { text: "look", own: [], files: ["b.txt"] },
    { text: "write it", own: ["b.txt"], files: ["b.txt"] },
  ])
})

/** Accept-edits mode rests on undo: where `undo.exclude` takes it away, the user is asked, and the question says so. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, write } from "../../kit/script.ts"

const none = "Not covered by /rewind: data (undo.exclude)"

test("a change in an excluded folder is asked about, and one beside it is not", async () => {
  const asked: object[] = []
  await using t = await openTestSession({
    script: [
      calls(write("data/new.txt", "new")),
      calls(write("src/new.txt", "new")),
      calls(bash("cp src/new.txt data/copy.txt")),
      calls(bash("touch data.txt src/touched.txt")),
      calls(bash("./tool")),
      says("Done."),
    ],
    mode: "acceptEdits",
    allow: [],
    undo: { exclude: ["data"] },
    answers(question) {
      if (question.ask.kind !== "permission") throw new Error("another question")
      const { title, why, undo, risks } = question.ask
      asked.push({ title, why, undo, risks })
      return { kind: "allow" }
    },
  })
  for (const folder of ["data", "src"]) mkdirSync(t.path(folder))
  writeFileSync(t.path("data/old.txt"), "old")
  await t.prompt("change it")
  const why = "Cannot be undone with /rewind: data is excluded by undo.exclude."
  expect(asked).toEqual([
    { title: "Write data/new.txt", why, undo: undefined, risks: undefined },
    { title: "Bash cp src/new.txt data/copy.txt", why, undo: undefined, risks: [none] },
    { title: "Bash ./tool", why: "`tool` may change files or run code.", undo: undefined, risks: [none] },
  ])
})

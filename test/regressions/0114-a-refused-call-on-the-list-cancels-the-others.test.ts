/** One wrong id among several calls on the task list made all that followed "Not run". */

import { expect, test } from "bun:test"
import { calls, edit, says, use } from "../kit/script.ts"
import { cast, resultsOf } from "../suite/subagents/cast.ts"
import { add, create, openTeamSession } from "../suite/team/crew.ts"

const rename = (taskId: string) => use("TaskUpdate", { taskId, subject: `new ${taskId}` })

test("the others run; an edit that fails still stops what follows", async () => {
  await using t = await openTeamSession({
    script: cast({
      main: [
        calls(create),
        calls(add("one"), add("two")),
        calls(rename("1"), rename("7"), use("TaskUpdate", {}), rename("2")),
        calls(edit("nothing.txt", "a", "b"), rename("1")),
        says("ok"),
      ],
    }),
  })
  await t.prompt("go")
  expect(resultsOf(t, "TaskUpdate")).toEqual([
    "Changed #1: new 1",
    "There is no task #7. TaskList shows all tasks.",
    expect.stringContaining("taskId"),
    "Changed #2: new 2",
    "Not run: an earlier call in this answer failed.",
  ])
})

/** The lead heard "#1 A: completed" and nothing that shows it, and the user saw answers of the lead to nothing. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { bash, calls, says, use, write } from "../kit/script.ts"
import { cast, logOf, requestsOf } from "../suite/subagents/cast.ts"
import { add, allIdle, attached, create, done, heard, look, member, openTeamSession } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

test("a completion names commits, files and the last command, also to whoever reads the task", async () => {
  await using t = await openTeamSession({
    script: cast({
      main: [
        calls(create),
        calls(add("one")),
        calls(member("ann", { effort: "low" })),
        ...Array.from({ length: 9 }, () => heard),
      ],
      ann: [
        calls(write("new.txt", "a\n")),
        calls(bash("echo '[main 1a2b3c4] Add the file'")),
        calls(bash("sh -c 'exit 0'")),
        calls(done("1")),
        calls(use("TaskGet", { taskId: "1" })),
        says("Done."),
      ],
    }),
  })
  await t.prompt("go")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 2)
  await t.settled()
  const [told = ""] = attached(t.entries(), "task_notification")
  expect(told).toContain("#1 one: completed")
  expect(told).toMatch(
    /Evidence: 1 commit: 1a2b3c4 Add the file; 1 file: \S*new\.txt; last command: sh -c 'exit 0' \(exit code 0\)\./,
  )
  const results = (await logOf(t, "ann")).flatMap((entry) => (entry.kind === "result" ? [String(entry.content)] : []))
  expect(results.at(-1)).toContain("evidence: 1 commit: 1a2b3c4 Add the file")

  const shown = t.entries().flatMap((entry) => (entry.kind === "attachment" ? [entry.data?.shown] : []))
  expect(shown).toEqual(expect.arrayContaining(["ann: #1 one: completed", "ann: Done."]))
  expect(JSON.stringify(requestsOf(t, "ann: do it.")[0])).toContain('"effort":"low"')
})

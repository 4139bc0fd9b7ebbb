/** A rule written with a yes in the terminal could be `Bash` or `Edit`, which the inbox of the server refuses for the same action. */

import { expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says, write } from "../kit/script.ts"

test("a rule that is written with a yes names something, and the yes counts without it", async () => {
  const rules = ["Bash", "Bash(*)", "Edit", "Edit(//**)", "Bash(touch:*)"]
  await using t = await openTestSession({
    script: [
      ...["a", "b", "c", "d", "e", "f"].map((name) => calls(bash(`touch ${name}.txt`))),
      calls(write("g.txt", "")),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    answers: () => {
      asked++
      const rule = rules.shift()
      return { kind: "allow", ...(rule !== undefined && { grants: [{ rule, destination: "session" }] }) }
    },
  })
  let asked = 0
  await t.prompt("go")
  // The last rule answers the sixth command.
  expect(asked).toBe(6)
  const told = t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
  expect(told).toEqual(
    [
      ["Bash", "Bash"],
      ["Bash(*)", "Bash"],
      ["Edit", "Edit"],
      ["Edit(//**)", "Edit"],
    ].map(
      ([rule, tool]) =>
        `The rule was not saved. ${rule} would allow nearly everything that ${tool} can do. Name more of what it may do.`,
    ),
  )
  expect(t.entries().flatMap((entry) => (entry.kind === "grant" ? [entry.rule] : []))).toEqual(["Bash(touch:*)"])
})

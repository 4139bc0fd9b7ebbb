/** Delegate mode: the session itself changes nothing, and its agents work as they did before the mode was chosen. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, write } from "../../kit/script.ts"
import { cast, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const roles = {
  main: [calls(write("own.txt", "x")), calls(task("worker")), says("Delegated.")],
  worker: [calls(write("made.txt", "by the agent")), says("Made.")],
}

test("the agents of a session that accepts edits go on accepting them", async () => {
  await using t = await openTestSession({ script: cast(roles), mode: "acceptEdits" })
  await t.session.submit({ type: "set_mode", mode: "delegate" })
  await t.prompt("split the work")
  expect(existsSync(t.path("own.txt"))).toBe(false)
  expect(resultsOf(t, "Write")[0]).toStartWith("Not permitted. Delegate mode is on:")
  expect(t.read("made.txt")).toBe("by the agent")

  // The log says it, too.
  await using again = await t.reopen({ script: cast({ main: [], worker: roles.worker }) })
  expect((await again.ask({ type: "state" })).mode).toBe("delegate")
})

test("the agents of a session that began in delegate mode ask", async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    script: cast(roles),
    mode: "delegate",
    answers({ ask }) {
      asked.push(ask.kind)
      return { kind: "deny", words: "no", interrupt: false }
    },
  })
  await t.prompt("split the work")
  expect(asked).toEqual(["permission"])
  expect(existsSync(t.path("made.txt"))).toBe(false)
})

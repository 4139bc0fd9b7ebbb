/** Plan mode and agents: the same over every wire format. */

import { expect, test } from "bun:test"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"
import { approve, enter, exit, plainChance, planAnswers, planStory, writePlan } from "../plan/plan.ts"
import { cast, requestsOf, resultsOf, task } from "../subagents/cast.ts"
import { overEach } from "./over-each.ts"

overEach("plan mode", (start) => {
  test("enter, write too early, plan, approve, implement", async () => {
    await using t = await start({
      ...plainChance,
      files: { "a.ts": "export const a = 1\n" },
      mode: "default",
      script: [
        calls(enter),
        calls(read("a.ts"), write("b.ts", "too early")),
        calls(writePlan("# Plan\n\n## Files to modify\n- `a.ts`\n")),
        calls(exit),
        calls(edit("a.ts", "1", "2")),
        says("Verified by reading it."),
        says("Done."),
      ],
      answers: planAnswers(approve("acceptEdits")),
    })
    expect(await t.prompt("make a two")).toEqual({ reason: "completed" })
    expect(t.read("a.ts")).toBe("export const a = 2\n")
    expect(t.results().map(({ isError }) => isError)).toEqual([false, false, true, false, false, false])
    expect(planStory(t).filter((line) => line.startsWith("mode"))).toEqual([
      "mode default",
      "mode plan",
      "mode acceptEdits",
    ])
    expect(JSON.stringify(t.requests().at(-1))).toContain("Plan mode is on")
  })
})

overEach("agents", (start) => {
  test("two work with conversations of their own, and their last words are the results", async () => {
    await using t = await start({
      files: { "a.txt": "the secret is 42\n" },
      script: cast({
        main: [calls(task("alpha"), task("beta")), says("Both are back.")],
        alpha: [calls(read("a.txt")), says("The secret is 42.")],
        beta: [calls(bash("echo hi"), bash("exit 1")), says("beta is back")],
      }),
    })
    expect(await t.prompt("What is the secret?")).toEqual({ reason: "completed" })
    const [first, second] = resultsOf(t, "Task")
    expect(first).toStartWith("The secret is 42.")
    expect(second).toStartWith("beta is back")
    expect(requestsOf(t, "alpha: do it.")).not.toHaveLength(0)
    expect(JSON.stringify(requestsOf(t, "alpha: do it.")[0]?.messages)).not.toContain("What is the secret?")
  })

  test("one is continued after the session was closed", async () => {
    let id = ""
    await using t = await start({
      script: cast({
        main: [calls(task("alpha")), says("First."), () => calls(task("alpha", { resume: id })), says("Second.")],
        alpha: [says("alpha once"), says("alpha twice")],
      }),
    })
    await t.prompt("go")
    id = t.entries().flatMap((entry) => (entry.kind === "child" ? [entry.agentId] : []))[0] ?? ""
    await using again = await t.reopen()
    expect(await again.prompt("go on")).toEqual({ reason: "completed" })
    expect(resultsOf(again, "Task").map((text) => text.split("\n")[0])).toEqual(["alpha once", "alpha twice"])
  })
})

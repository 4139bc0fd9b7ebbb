/** A task list that sessions share by naming it: as the model works with it, and as `codewright team` shows it. */

import { describe, expect, test } from "bun:test"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, says, use } from "../../kit/script.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"

const env = { CODEWRIGHT_TASK_LIST: "release" }

/** Runs a session in which the model makes these calls one after the other, and gives their results. */
async function session(place: Place, ...blocks: readonly ScenarioBlock[]): Promise<readonly string[]> {
  const run = await runCodewright({
    place,
    env,
    argv: ["-p", "go on", "--output-format", "stream-json", "--verbose"],
    scenario: [...blocks.map((block) => calls(block)), says("done")],
  })
  expect([run.code, run.stderr]).toEqual([0, ""])
  const messages = run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StreamMessage)
  return messages.flatMap(({ message }) =>
    (Array.isArray(message?.content) ? message.content : []).flatMap(({ type, content }) =>
      type === "tool_result" ? [String(content)] : [],
    ),
  )
}

interface StreamMessage {
  readonly message?: { readonly content?: string | readonly { readonly type: string; readonly content?: unknown }[] }
}

const create = (subject: string, more: { readonly [field: string]: string[] } = {}): ScenarioBlock =>
  use("TaskCreate", { subject, description: `How to do: ${subject}`, ...more })
const update = (taskId: string, more: { readonly [field: string]: string | string[] }): ScenarioBlock =>
  use("TaskUpdate", { taskId, ...more })

describe("a shared task list", () => {
  test("what one session plans, another does, in the order of what blocks what", async () => {
    using place = openPlace()
    expect(
      await session(
        place,
        create("write the parser"),
        create("test the parser", { blockedBy: ["1"] }),
        update("1", { addBlockedBy: ["2"] }),
        update("2", { status: "in_progress" }),
        update("9", { status: "completed" }),
      ),
    ).toEqual([
      "Created #1: write the parser",
      "Created #2: test the parser",
      "Not changed: the tasks would wait for each other in a circle (#2 blocks #1 blocks #2).",
      "#2 cannot begin yet: it waits for #1.",
      "There is no task #9. TaskList shows all tasks.",
    ])
    const [list, begun, done, after] = await session(
      place,
      use("TaskList", {}),
      update("1", { status: "in_progress" }),
      update("1", { status: "completed" }),
      use("TaskList", {}),
    )
    expect(list).toBe("#1 [pending] write the parser\n#2 [pending] test the parser (waits for #1)")
    expect(begun).toContain("How to do: write the parser")
    expect(done).toBe("Completed #1: write the parser")
    expect(after).toMatch(/^#1 \[completed\] write the parser \(\w{8}\)\n#2 \[pending\] test the parser$/)
  })

  test("a task that another session holds is theirs; one that is given back has a note", async () => {
    using place = openPlace()
    await session(place, create("one"), update("1", { status: "in_progress" }))
    const [taken, back] = await session(
      place,
      update("1", { status: "completed" }),
      update("1", { status: "pending", note: "not mine" }),
    )
    expect(taken).toMatch(/^#1 is \w{8}'s\.$/)
    expect(back).toBe(taken ?? "")
    await session(
      place,
      create("two"),
      update("2", { status: "in_progress" }),
      update("2", { status: "pending", note: "needs a key" }),
    )
    const [shown] = await session(place, use("TaskGet", { taskId: "2" }))
    expect(shown).toContain("note: needs a key")
  })

  test("is shown by codewright team", async () => {
    using place = openPlace()
    const team = async (...argv: string[]) => await runCodewright({ place, argv: ["team", ...argv] })
    expect((await team("list")).stdout).toBe("No task lists.\n")
    await session(place, create('say "hi"'), create("two", { blockedBy: ["1"] }))
    expect((await team("list")).stdout).toBe("release  0 of 2 done\n")
    expect((await team("show", "release")).stdout).toBe('#1 [pending] say "hi"\n#2 [pending] two (waits for #1)\n')
    expect(JSON.parse((await team("show", "release", "--json")).stdout)).toEqual({
      name: "release",
      lead: null,
      members: [],
      tasks: [
        { id: "1", subject: 'say "hi"', status: "pending", blocks: ["2"], blockedBy: [], attempts: 0 },
        { id: "2", subject: "two", status: "pending", blocks: [], blockedBy: ["1"], attempts: 0 },
      ],
      mail: [],
    })
    expect((await team("show", "release", "--dot")).stdout).toContain('1 [label="#1 say \\"hi\\""')
    expect(await team("show", "releas")).toMatchObject({
      code: 1,
      stderr: "error: No task list named releas. Did you mean release?\n",
    })
    expect((await team("show")).code).toBe(1)
  })

  test("a name that would lead elsewhere is refused before anything starts", async () => {
    for (const name of ["../x", "a/b", ".", "x".repeat(65)]) {
      const run = await runCodewright({ argv: ["-p", "hi"], env: { CODEWRIGHT_TASK_LIST: name } })
      expect([run.code, run.requests]).toEqual([1, []])
      expect(run.stderr).toContain("The name of the task list is")
    }
  })
})

/** The graph of tasks as rows: every task is there once, drawn or counted, and those under way are drawn. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { taskStatuses } from "#agent/words/team.ts"
import { taskGraph } from "#session/slash/task-graph.ts"
import { teamText } from "#session/slash/team-text.ts"
import { taskOf } from "../../../kit/team/task.ts"

const graphs = fc
  .array(
    fc.record({
      status: fc.constantFrom(...taskStatuses.filter((status) => status !== "deleted")),
      by: fc.array(fc.nat(60), { maxLength: 3 }),
    }),
    { maxLength: 60 },
  )
  .map((tasks) =>
    tasks.map(({ status, by }, i) =>
      taskOf(i + 1, { status, blockedBy: [...new Set(by.filter((id) => id >= 1 && id <= i).map(String))] }),
    ),
  )

describe("a graph of tasks", () => {
  test("has every task once, drawn or counted", () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 30 }), (tasks, most) => {
        const rows = taskGraph(tasks, most)
        const drawn = rows.flatMap((row) => (row.kind === "task" ? [row.task.id] : []))
        const counted = rows.reduce((sum, row) => sum + (row.kind === "folded" ? row.count : 0), 0)
        expect(new Set(drawn).size).toBe(drawn.length)
        expect(drawn.length).toBeLessThanOrEqual(most)
        expect(drawn.length + counted).toBe(tasks.length)
        const underWay = tasks.filter(({ status }) => status === "in_progress").map(({ id }) => id)
        if (underWay.length <= most) for (const id of underWay) expect(drawn).toContain(id)
      }),
    )
  })

  test("stands below the last of what each task waits for", () => {
    const tasks = [
      taskOf(1, { status: "completed" }),
      taskOf(2, { blockedBy: ["1"], status: "in_progress", owner: "ann" }),
      taskOf(3, { blockedBy: ["1"] }),
      taskOf(4, { blockedBy: ["1", "2"] }),
    ]
    expect(teamText({ name: "crew", members: [], tasks, mail: [] }, 0)).toBe(
      `crew
Tasks · 1 of 4 done
  ☑ #1 task 1
  ├ ◐ #2 task 2    ann
  │ └ ☐ #4 task 4  waits for #2
  └ ☐ #3 task 3`,
    )
    expect(teamText(null, 0)).toStartWith("There is no team.")
  })
})

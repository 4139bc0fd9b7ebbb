/** A headless run of a team ended with success although tasks were open; and it ended while members had unread mail. */

import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { isObject, type JsonObject } from "#lib/json.ts"
import { restingMembers } from "#session/port/team-rest.ts"
import type { TeamOverview } from "#agent/words/team.ts"
import { type Run, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"
import { workers } from "../kit/team/team-run.ts"
import { cast, type Cast } from "../suite/subagents/cast.ts"
import { add, create, heard, member } from "../suite/team/crew.ts"

setDefaultTimeout(300_000)

const oks = Array.from({ length: 20 }, () => heard)

const play = (scenario: Cast, ...more: readonly string[]): Promise<Run> =>
  runCodewright({ argv: ["-p", "go", "--output-format", "json", ...more], scenario: cast(scenario) })

function resultOf({ stdout }: Run): JsonObject {
  const value: unknown = JSON.parse(stdout)
  return isObject(value) ? value : {}
}

/** How often the lead's last request shows the text. */
function timesTold({ requests }: Run, text: string): number {
  const lead = requests.findLast(({ body }) => JSON.stringify(body).includes("TeamDelete"))
  return JSON.stringify(lead?.body).split(text).length - 1
}

describe.each(["in-process", "process"])("%s", (mode) => {
  test("a task for somebody who never comes is told to the lead once, and ends the run with 4", async () => {
    const run = await play(
      {
        main: [calls(create), calls(add("one"), add("two", { owner: "dan" })), calls(member("ann")), ...oks],
        ann: workers(20),
      },
      "--teammate-mode",
      mode,
    )
    expect(resultOf(run)).toMatchObject({
      subtype: "error_open_tasks",
      is_error: true,
      result: "Heard.",
      open_tasks: [{ id: "2", subject: "two", status: "pending", owner: "dan" }],
    })
    expect(run.code).toBe(4)
    expect(run.stderr).toContain("1 task of the team is still open: #2 two.")
    expect(timesTold(run, "1 task is open, and nobody works on it")).toBe(1)
    expect(timesTold(run, "#2 two (for dan, who is not in the team)")).toBe(1)
  })
})

test("without members the lead is reminded too, and may do the task", async () => {
  const run = await play({
    main: [
      calls(create),
      calls(add("one")),
      says("I made a plan."),
      calls(use("TaskUpdate", { taskId: "1", status: "completed" })),
      says("Done."),
    ],
  })
  expect(timesTold(run, "1 task is open, and nobody works on it")).toBe(1)
  expect([resultOf(run).subtype, resultOf(run).open_tasks, run.code]).toEqual(["success", undefined, 0])
})

test("a member with unread mail is not at rest", async () => {
  const look: TeamOverview = {
    name: "crew",
    lead: "lead",
    members: [
      { name: "lead", state: "idle", sessionId: "0" },
      { name: "ann", state: "idle", sessionId: "1" },
    ].map((each) => ({ ...each, state: "idle", pid: 1, start: "", host: "", tokens: 0, costUsd: 0, joinedAt: 0 })),
    tasks: [],
    mail: [{ seq: 1, from: "lead", to: "ann", type: "message", text: "hi", sentAt: 0 }],
  }
  const at = (team: TeamOverview) => restingMembers({ ask: async () => team as never })
  expect([...(await at(look))]).toEqual([])
  expect([...(await at({ ...look, mail: look.mail.map((each) => ({ ...each, deliveredAt: 1 })) }))]).toEqual(["1"])
})

/** As many members as a team may have, in one process: every task is done once, and nobody else gets in. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { calls, says } from "../../kit/script.ts"
import { resultsOf } from "../subagents/cast.ts"
import { add, allIdle, create, done, look, member, openTeamSession } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

const names = Array.from({ length: 17 }, (_, n) => `m${String(n + 1).padStart(2, "0")}`)
const subjects = Array.from({ length: 48 }, (_, n) => `task ${n + 1}`)

const script: ScenarioFunction = ({ messages }, { turn }) => {
  const isMember = /m\d\d: do it\./.test(JSON.stringify(messages[0]))
  if (isMember) {
    const [, id] = /Task #(\d+) of the team is yours/.exec(JSON.stringify(messages.at(-1))) ?? []
    return id === undefined ? says("Done.") : calls(done(id))
  }
  const main = [
    calls(create),
    calls(...subjects.map((subject) => add(subject))),
    calls(...names.map((name) => member(name))),
  ]
  return main[turn] ?? says("Heard.")
}

test("16 members do 48 tasks, each once", async () => {
  await using t = await openTeamSession({ script })
  await t.prompt("go")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 17)
  await t.settled()
  const team = await look(t)
  const here = team?.members.filter(({ state }) => state !== "gone").map(({ name }) => name)
  expect(here?.toSorted()).toEqual(["lead", ...names.slice(0, 16)])
  expect(resultsOf(t, "Task").at(-1)).toContain("The team has 16 members already")
  expect(team?.tasks.map(({ attempts }) => attempts)).toEqual(subjects.map(() => 0))
  const notices = team?.mail.filter(({ text }) => text.endsWith(": completed")).map(({ text }) => text) ?? []
  expect(new Set(notices).size).toBe(48)
  expect(notices).toHaveLength(48)
})

/** A budget that was only reserved made members leave and ended the run; now they wait until it is paid or returned. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { isObject } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls } from "../kit/script.ts"
import { paidFor, workers } from "../kit/team/team-run.ts"
import { cast } from "../suite/subagents/cast.ts"
import { add, create, heard, member } from "../suite/team/crew.ts"
import { isNight } from "../kit/runs.ts"

setDefaultTimeout(300_000)

const everybody = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal"]

/** As real answers do, they take a while: reservations overlap. */
const slowly = (reply: ScenarioReply): ScenarioReply => ({ ...reply, timing: { ttftMs: 200 } })

test.each([["in-process", 3, 1], ["process", 8, 0.6], ...(isNight ? ([["process", 3, 1]] as const) : [])] as const)(
  "in %s, %i members finish 20 cheap tasks within $%d",
  async (mode, count, usd) => {
    const names = everybody.slice(0, count)
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "go", "--output-format", "json", "--teammate-mode", mode, "--max-budget-usd", String(usd)],
      scenario: cast({
        main: [
          calls(create),
          calls(...Array.from({ length: 20 }, (_, n) => add(`work ${n}`))),
          calls(...names.map((name) => member(name))),
          ...Array.from({ length: 100 }, () => heard),
        ],
        ...Object.fromEntries(
          names.map((name) => [name, workers(100).map((work) => (request: SimRequest) => slowly(work(request)))]),
        ),
      }),
    })
    const team = await readTeamOverview(place.state, "crew", systemClock)
    const result: unknown = JSON.parse(run.stdout)
    expect(team?.tasks.filter(({ status }) => status !== "completed")).toEqual([])
    expect(team?.members.filter(({ state }) => state === "gone")).toEqual([])
    expect(paidFor(run.requests)).toBeLessThanOrEqual(usd)
    expect(isObject(result) && [result.subtype, run.code]).toEqual(["success", 0])
  },
)

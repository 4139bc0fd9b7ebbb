/** A member whose process crashed was not started again although its log was there: its task went back, and the lead's model had to see to it. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { TeamOverview } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast } from "../suite/subagents/cast.ts"
import { add, create, done, heard, member } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const look = (place: Place): Promise<TeamOverview | undefined> => readTeamOverview(place.state, "crew", systemClock)
const argv = ["-p", "go", "--output-format", "json", "--teammate-mode", "process", "--allowedTools", "Bash"]
const lead = [calls(create), calls(add("one")), calls(member("ann")), ...Array.from({ length: 20 }, () => heard)]

const kill = async (place: Place): Promise<unknown> => {
  const [boss, ann] = (await look(place))?.members ?? []
  return ann && ann.pid !== boss?.pid && process.kill(ann.pid, "SIGKILL")
}

test("in the middle of its task: it goes on with its log, and keeps the task", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv,
    scenario: cast({
      main: lead,
      ann: [
        says("Ready."),
        calls(bash("echo begun >> log.txt; touch begun; while [ ! -e never ]; do sleep 0.05; done")),
        calls(bash("echo done >> log.txt"), done("1")),
        says("All done."),
      ],
    }),
    async during() {
      await until(() => Bun.file(join(place.work, "begun")).exists())
      await kill(place)
    },
  })
  await until(() => processesIn(place).length === 0)
  expect([run.code, run.stderr]).toEqual([0, "The process of ann ended. It was started again.\n"])
  const team = await look(place)
  expect(team?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
  expect(await place.read("log.txt")).toBe("begun\ndone\n")
  expect(team?.mail.filter(({ from }) => from === "ann").map(({ text }) => text)).toEqual([
    "Ready.",
    "#1 one: completed",
    "All done.",
  ])
})

test("before it has read its prompt: it gets the prompt again", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv,
    scenario: cast({ main: lead, ann: [says("Ready."), calls(done("1")), says("All done.")] }),
    async during() {
      // As soon as its process is there.
      await until(() => kill(place))
    },
  })
  await until(() => processesIn(place).length === 0)
  expect(run.code).toBe(0)
  expect((await look(place))?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
})

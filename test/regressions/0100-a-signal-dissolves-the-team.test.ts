/** A headless lead that was told to end (SIGTERM, SIGINT) stopped its members for good: their tasks went back, and --resume started nobody. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast, type Cast } from "../suite/subagents/cast.ts"
import { add, create, done, heard, member } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const look = (place: Place) => readTeamOverview(place.state, "crew", systemClock)

test.each([
  ["SIGTERM", "process"],
  ["SIGINT", "process"],
  ["SIGTERM", "in-process"],
] as const)("after %s (%s) the members keep their places and tasks, and go on with -c", async (signal, mode) => {
  using place = openPlace()
  const scenario: Cast = {
    main: [calls(create), calls(add("one")), calls(member("ann")), ...Array.from({ length: 20 }, () => heard)],
    ann: [
      says("Ready."),
      calls(bash("touch begun; while [ ! -e go ]; do sleep 0.05; done")),
      calls(bash("echo done >> log.txt"), done("1")),
      says("All done."),
    ],
  }
  const argv = ["-p", "go", "--output-format", "json", "--teammate-mode", mode, "--allowedTools", "Bash,Write"]
  await runCodewright({
    place,
    argv,
    scenario: cast(scenario),
    async during({ kill }) {
      await until(() => Bun.file(join(place.work, "begun")).exists())
      kill(signal)
    },
  })
  await until(() => processesIn(place).length === 0)
  const left = await look(place)
  expect(left?.members.find(({ name }) => name === "ann")?.state).not.toBe("gone")
  expect(left?.tasks).toMatchObject([{ status: "in_progress", owner: "ann", attempts: 0 }])

  await Bun.write(join(place.work, "go"), "")
  const run = await runCodewright({ place, argv: ["-c", ...argv], scenario: cast(scenario) })
  expect(run.code).toBe(0)
  expect((await look(place))?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
  expect(await place.read("log.txt")).toBe("done\n")
})

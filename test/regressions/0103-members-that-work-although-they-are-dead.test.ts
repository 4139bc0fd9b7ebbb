/** `codewright team show` said `working` for members whose process was dead, and nothing could delete the team of a session that is closed. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast } from "../suite/subagents/cast.ts"
import { add, create, heard, member } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

test("a team is shown as it is, and deleted once nobody uses it", async () => {
  using place = openPlace()
  const team = async (...argv: string[]) => await runCodewright({ place, argv: ["team", ...argv] })
  const states = async () => {
    const { members } = JSON.parse((await team("show", "crew", "--json")).stdout) as {
      readonly members: readonly { readonly name: string; readonly state: string }[]
    }
    return members.map(({ name, state }) => `${name} ${state}`)
  }
  await runCodewright({
    place,
    argv: ["-p", "go", "--allowedTools", "Bash"],
    scenario: cast({
      main: [calls(create), calls(add("one")), calls(member("ann")), ...Array.from({ length: 20 }, () => heard)],
      ann: [says("Ready."), calls(bash("touch begun; while true; do sleep 0.05; done"))],
    }),
    async during({ kill }) {
      await until(() => Bun.file(`${place.work}/begun`).exists())
      await until(async () => (await states()).includes("ann working"))
      expect((await team("show", "crew")).stdout).toContain("\nann: working\n")
      const used = await team("delete", "crew")
      expect(used.code).toBe(1)
      expect(used.stderr).toMatch(/^error: crew is in use: lead, ann \(process \d+\)\. Quit that session first\.\n$/)
      kill("SIGKILL")
    },
  })
  await until(() => processesIn(place).length === 0)
  expect(await states()).toEqual(["lead not_running", "ann not_running"])
  expect((await team("show", "crew")).stdout).toBe("#1 [in_progress] one (ann)\nlead: not running\nann: not running\n")
  expect((await team("delete", "crwe")).stderr).toBe("error: No task list named crwe. Did you mean crew?\n")
  expect(await team("delete", "crew")).toMatchObject({ code: 0, stdout: "Deleted crew with 1 open task.\n" })
  expect((await team("list")).stdout).toBe("No task lists.\n")
})

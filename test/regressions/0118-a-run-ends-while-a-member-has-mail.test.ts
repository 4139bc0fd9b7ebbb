/**
 * A member in a process of its own was idle, and its lead wrote to it and ended its turn. The run ended before the member
 * had read the message, because the lead's process still knew it as idle.
 */

import { join } from "node:path"
import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { cast } from "../suite/subagents/cast.ts"
import { create, heard, member, send, upon } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

test("a run goes on until a member has read its mail, however late it reads it", async () => {
  using place = openPlace()
  const look = () => readTeamOverview(place.state, "crew", systemClock)
  const ann = async () => (await look())?.members.find(({ name }) => name === "ann")
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--output-format", "json", "--teammate-mode", "process", "--allowedTools", "Bash"],
    scenario: cast({
      main: [
        calls(create),
        calls(member("ann")),
        ...upon(
          "Ready for more.",
          calls(bash("while [ ! -e written ]; do sleep 0.05; done")),
          calls(send("ann", "Go on.")),
        ),
        heard,
      ],
      ann: [says("Ready for more."), ...upon("Go on.", calls(bash("touch late.txt")), says("Done."))],
    }),
    async during() {
      const { pid } = await until(async () => {
        const found = await ann()
        return found?.state === "idle" && found
      })
      process.kill(pid, "SIGSTOP")
      await Bun.write(join(place.work, "written"), "")
      await until(async () => (await look())?.mail.some(({ to }) => to === "ann"))
      await until(async () => (await look())?.members.every(({ state }) => state === "idle"))
      // A lead that does not wait is gone by then.
      await Bun.sleep(500)
      process.kill(pid, "SIGCONT")
    },
  })
  expect(run.code).toBe(0)
  expect(await Bun.file(join(place.work, "late.txt")).exists()).toBe(true)
}, 300_000)

/**
 * A member in a process of its own whose last answer failed after its lead had been killed left the team, and its unread
 * mail went to the lead: 2 of 1,000 messages in 50 kills.
 */

import { Glob } from "bun"
import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { SimRequest } from "#sim/request.ts"
import { deferred } from "#lib/deferred.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { create, member, send } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(120_000)

test("a member stays in the team of a lead that was killed, and gets its mail when the lead is back", async () => {
  using place = openPlace()
  const argv = ["--teammate-mode", "process"]
  const [asked, sent, killed] = [deferred<void>(), deferred<void>(), deferred<void>()]
  const isAnns = ({ messages }: SimRequest): boolean => JSON.stringify(messages[0]?.content).includes("ann: do it.")
  await runCodewright({
    place,
    argv: ["-p", "go", ...argv],
    async scenario(request, { turn }) {
      if (isAnns(request)) {
        asked.resolve()
        await killed.promise
        return { content: "", fault: "unauthorized" }
      }
      if (turn === 0) return calls(create)
      if (turn === 1) return calls(member("ann"))
      await asked.promise
      if (turn === 2) return calls(send("ann", "the news."))
      sent.resolve()
      await killed.promise
      return says("Too late.")
    },
    async during({ kill }) {
      await sent.promise
      kill("SIGKILL")
      await until(() => processesIn(place).length === 1)
      killed.resolve()
      await until(() => processesIn(place).length === 0)
    },
  })
  const shown = await runCodewright({ place, argv: ["team", "show", "crew"] })
  expect(shown.stdout).toContain("ann: not running")
  await runCodewright({ place, argv: ["-c", "-p", "go on", ...argv], scenario: () => says("Done.") })
  const logs = [...new Glob("projects/**/subagents/*.jsonl").scanSync(place.state)]
  const lines = logs.flatMap((log) => readFileSync(join(place.state, log), "utf8").split("\n"))
  expect(lines.filter((line) => line.includes("teammate_message") && line.includes("the news."))).toHaveLength(1)
})

/**
 * A lead that was killed after a member's log had begun and before the member's first prompt was in it resumed the member
 * without one: it knew its mail and not its work.
 */

import { Glob } from "bun"
import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deferred } from "#lib/deferred.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { create, member } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(120_000)

const cuts: readonly (readonly [string, (log: string) => void])[] = [
  ["has no prompt yet", cutBeforePrompt],
  ["does not exist yet", (log) => rmSync(log)],
]

for (const mode of ["in-process", "process"])
  for (const [what, cut] of cuts)
    test(`a member whose log ${what} is given its prompt again, ${mode}`, async () => {
      using place = openPlace()
      const argv = ["--teammate-mode", mode]
      const asked = deferred<void>()
      const never = deferred<never>()
      await runCodewright({
        place,
        argv: ["-p", "go", ...argv],
        scenario({ messages }, { turn }) {
          if (JSON.stringify(messages).includes("ann: do it.") && turn === 0) {
            asked.resolve()
            return never.promise
          }
          if (turn === 0) return calls(create)
          return turn === 1 ? calls(member("ann")) : never.promise
        },
        async during({ kill }) {
          await asked.promise
          kill("SIGKILL")
          for (const pid of processesIn(place)) process.kill(pid, "SIGKILL")
          await until(() => processesIn(place).length === 0)
        },
      })
      cut(logOf(place))
      const prompts: string[] = []
      await runCodewright({
        place,
        argv: ["-c", "-p", "go on", ...argv],
        scenario({ messages }) {
          const [first] = messages
          const text = JSON.stringify(first?.content)
          if (text.includes("ann: do it.")) prompts.push(text)
          return says("Done.")
        },
      })
      expect(prompts.length).toBeGreaterThan(0)
      expect(readFileSync(logOf(place), "utf8").split("ann: do it.")).toHaveLength(2)
    })

function logOf(place: Place): string {
  const [log] = new Glob("projects/**/subagents/*.jsonl").scanSync(place.state)
  if (log === undefined) throw new Error("ann has no log")
  return join(place.state, log)
}

function cutBeforePrompt(log: string): void {
  const lines = readFileSync(log, "utf8").split("\n")
  const at = lines.findIndex((line) => line.includes("ann: do it."))
  expect(at).toBeGreaterThan(0)
  writeFileSync(
    log,
    lines
      .slice(0, at)
      .map((line) => `${line}\n`)
      .join(""),
  )
}

/** What a member pays for while its lead is dead is in its own log only; the lead that is resumed books it, once. */

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { objectIn } from "#lib/json.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast, type Cast } from "../suite/subagents/cast.ts"
import { add, create, done, heard, member } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

/** The cost of all answers in all logs, each once. */
function paidIn({ state }: Place): number {
  const logs = readdirSync(join(state, "projects"), { recursive: true, encoding: "utf8" })
  const lines = logs
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(state, "projects", name), "utf8").split("\n"))
    .filter((line) => line.includes('"subtype":"reply_end"'))
  return lines.reduce((sum, line) => {
    const { codewright } = objectIn(line) ?? {}
    return sum + Number((codewright as { costUsd?: number }).costUsd ?? 0)
  }, 0)
}

test("an answer that comes after the lead's death is booked when the lead is resumed", async () => {
  using place = openPlace()
  let kill = (): void => {}
  const scenario: Cast = {
    main: [calls(create), calls(add("one")), calls(member("ann")), ...Array.from({ length: 20 }, () => heard)],
    ann: [
      says("Ready."),
      () => {
        kill()
        kill = () => {}
        return calls(done("1"))
      },
      says("All done."),
    ],
  }
  const argv = ["-p", "go", "--output-format", "json", "--teammate-mode", "process"]
  await runCodewright({
    place,
    argv,
    scenario: cast(scenario),
    async during(running) {
      kill = () => running.kill("SIGKILL")
      await until(() => existsSync(join(place.state, "teams")))
      await until(() => processesIn(place).length === 0)
    },
  })
  const resume = async (): Promise<number> => {
    const run = await runCodewright({ place, argv: ["-c", ...argv], scenario: cast(scenario) })
    const { total_cost_usd: cost } = JSON.parse(run.stdout) as { readonly total_cost_usd: number }
    return cost
  }
  for (let times = 0; times < 2; times++) {
    const cost = await resume()
    expect(cost).toBeGreaterThan(0)
    expect(cost).toBeCloseTo(paidIn(place), 8)
  }
})

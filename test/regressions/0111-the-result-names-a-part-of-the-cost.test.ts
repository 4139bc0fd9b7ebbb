/** The result of a run whose lead met the budget first named what was spent until then, not what the run cost. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { isObject } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { runCodewright } from "../kit/run-codewright.ts"
import { bash, calls } from "../kit/script.ts"
import { paidFor } from "../kit/team/team-run.ts"
import { cast } from "../suite/subagents/cast.ts"
import { create, member } from "../suite/team/crew.ts"

setDefaultTimeout(300_000)

const slowly = (reply: ScenarioReply): ScenarioReply => ({ ...reply, timing: { ttftMs: 100 } })
const busy = Array.from({ length: 200 }, (_, n) => slowly(calls(bash(`echo ${n}`))))
/** Large answers: the lead is the first that the budget is too small for. */
const large = Array.from({ length: 200 }, (_, n) => calls(bash(`seq ${n} ${n + 3_000}`)))

test.each(["in-process", "process"])("it equals what the model's side counted (%s)", async (mode) => {
  const run = await runCodewright({
    argv: [
      "-p",
      "go",
      "--output-format",
      "json",
      "--teammate-mode",
      mode,
      "--max-budget-usd",
      "0.3",
      "--allowedTools",
      "Bash",
    ],
    scenario: cast({
      main: [calls(create), calls(member("ann"), member("bob")), ...large],
      ann: busy,
      bob: busy,
    }),
    env: { CODEWRIGHT_MAX_OUTPUT_TOKENS: "4000" },
  })
  const result: unknown = JSON.parse(run.stdout)
  expect(isObject(result) && result.subtype).toBe("error_max_budget_usd")
  expect(isObject(result) && result.total_cost_usd).toBeCloseTo(paidFor(run.requests), 6)
  expect(paidFor(run.requests)).toBeLessThanOrEqual(0.3)
})

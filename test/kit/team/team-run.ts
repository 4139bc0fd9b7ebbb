/** Whole runs of a team as a program: members that do whatever they are given, and what the simulator counted. */

import { claudePrice } from "#ground/models/anthropic/prices.ts"
import { costOf } from "#kits/budget/prices.ts"
import { isObject } from "#lib/json.ts"
import type { RecordedRequest } from "#sim/ledger.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { calls, says, use } from "../script.ts"

/** Completes the task that was given last, and reports it. */
export const worker = (request: SimRequest): ScenarioReply => {
  const given = [...JSON.stringify(request.messages).matchAll(/Task #(\d+) of the team is yours now/g)].at(-1)?.[1]
  const isDone = given === undefined || JSON.stringify(request.messages).includes(`Completed #${given}:`)
  return isDone ? says("Done.") : calls(use("TaskUpdate", { taskId: given, status: "completed" }))
}

export const workers = (count: number): readonly (typeof worker)[] => Array.from({ length: count }, () => worker)

/** What the model's side counted, in dollars. */
export const paidFor = (requests: readonly RecordedRequest[]): number =>
  requests.reduce((sum, { answered, body }) => {
    const price = isObject(body) && typeof body.model === "string" ? claudePrice(body.model) : undefined
    return answered.kind === "reply" && price ? sum + costOf(answered.usage, price) : sum
  }, 0)

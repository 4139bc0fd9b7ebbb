/** A budget that a lead and its members share on several machines. */

import { expect, test } from "bun:test"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import type { FleetSession } from "#fleet/records.ts"
import { type Fleet, openFleet } from "../../kit/fleet/fleet.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { until } from "../../kit/until.ts"

const names = ["ann", "bob", "cid"]

/** Members work until nobody lets them. Their replies are long, so that not too many use up the budget. */
const busy: ScenarioFunction = ({ messages }, { turn }) => {
  if (names.some((name) => JSON.stringify(messages[0] ?? {}).includes(`${name}: do it.`)))
    return { ...calls(bash(`echo ${turn}`)), usage: { output_tokens: 200 } }
  const member = (name: string) =>
    use("Task", {
      description: `the ${name} work`,
      prompt: `${name}: do it.`,
      subagent_type: "general-purpose",
      team_name: "crew",
      name,
    })
  if (turn === 0) return calls(use("TeamCreate", { name: "crew" }))
  return turn === 1 ? calls(...names.map(member)) : says("Heard.")
}

async function membersOf({ store }: Fleet, lead: string): Promise<readonly FleetSession[]> {
  return (await store.sessions.list({ limit: 100 })).filter((each) => each.lead === lead)
}

test.skipIf(!hasPostgres)(
  "members on two workers, one of which is killed, stop when the lead's budget is used up, and never exceed it",
  async () => {
    const budgetUsd = 0.4
    await using fleet = await openFleet(busy)
    const { store } = fleet
    const options = {
      settings: { permissions: { allow: ["Bash"] }, teammateMode: "fleet" },
      slots: 2,
      env: { CODEWRIGHT_MAX_OUTPUT_TOKENS: "4000" },
    }
    const first = await fleet.startWorker(options)
    const second = await fleet.startWorker(options)
    const id = await fleet.create({ opening: { workspace: { path: fleet.place.work }, budgetUsd } })
    const spent = async (): Promise<number> => {
      const all = [await store.sessions.get(id), ...(await membersOf(fleet, id))]
      return all.reduce((sum, each) => sum + (each?.costUsd ?? 0), 0)
    }
    await until(async () => (await spent()) > budgetUsd / 5)
    const workers = new Set((await membersOf(fleet, id)).flatMap(({ worker }) => (worker ? [worker.id] : [])))
    expect(workers).toEqual(new Set([first.id, second.id]))
    await second.end("SIGKILL")
    const third = await fleet.startWorker({ ...options, state: second.state })
    const members = await until(async () => {
      const all = (await store.teams.of(id))?.members.filter(({ name }) => name !== "lead") ?? []
      return all.length === 3 && all.every(({ state }) => state === "gone") && all
    })
    expect(members.every(({ costUsd }) => costUsd > 0)).toBe(true)
    await until(async () => (await membersOf(fleet, id)).every(({ worker }) => worker === undefined))
    const mail = (await store.teams.of(id))?.mail.filter(({ summary }) => summary?.endsWith("has left")) ?? []
    expect(mail.map(({ text }) => /max_budget/.test(text))).toEqual([true, true, true])
    expect(await spent()).toBeGreaterThan(budgetUsd / 2)
    expect(await spent()).toBeLessThanOrEqual(budgetUsd)
    expect([first.stderr(), third.stderr()]).toEqual(["", ""])
  },
  Infinity,
)

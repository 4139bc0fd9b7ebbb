/** A conversation that is compacted in the middle of a team: nothing that was read comes again, nothing is lost, and the team goes on. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { logOf } from "../subagents/cast.ts"
import { add, allIdle, attached, create, done, look, member, openTeamSession } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

/** By what was said, because a compacted conversation begins anew. */
const script: ScenarioFunction = ({ messages }) => {
  const said = JSON.stringify(messages)
  const last = JSON.stringify(messages.at(-1))
  if (JSON.stringify(messages[0]).includes("ann: do it.")) {
    const [, id] = /Task #(\d+) of the team is yours/.exec(last) ?? []
    if (id === "2") return calls(bash("while [ ! -e go ]; do sleep 0.02; done"), done("2"))
    return id === undefined ? says(said.includes("#2") ? "The second is done." : "Done.") : calls(done(id))
  }
  if (last.includes("<summary>")) return says("<summary>The team crew was made, and ann works for it.</summary>")
  if (last.includes("begin")) return calls(bash("seq 1 3000"))
  if (last.includes("2999")) return calls(create)
  if (last.includes("You lead the team crew")) return calls(add("one"), add("two"))
  if (last.includes("#2")) return said.includes("ann: do it.") ? says("Heard.") : calls(member("ann"))
  return says("Heard.")
}

test("the lead compacts while a member works", async () => {
  await using t = await openTeamSession({ script })
  await t.prompt("begin")
  await until(async () => (await look(t))?.tasks.some(({ id, status }) => id === "2" && status === "in_progress"))
  await until(async () => (await look(t))?.mail.some(({ type }) => type === "task_notification"))
  await t.settled()
  const before = attached(t.entries(), "teammate_message").length
  await t.session.submit({ type: "compact" })
  await t.settled()
  expect(t.entries().some(({ kind }) => kind === "compaction")).toBe(true)
  await Bun.write(t.path("go"), "")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 2)
  await t.settled()
  const mail = attached(t.entries(), "teammate_message")
  expect(mail.length).toBeGreaterThan(before)
  expect(new Set(mail).size).toBe(mail.length)
  expect(attached(t.entries(), "task_notification")).toHaveLength(2)
  expect((await logOf(t, "ann")).some(({ kind }) => kind === "compaction")).toBe(false)

  // Read again from the compaction, it still leads, and nothing comes twice.
  await using again = await t.reopen()
  await until(() => again.ask({ type: "team" }))
  await allIdle(again, 2)
  await again.prompt("still there?")
  await again.settled()
  expect(
    attached(again.entries(), "teammate_message").filter((text) => mail.includes(text)).length,
  ).toBeLessThanOrEqual(mail.length)
  expect((await look(again))?.mail.every(({ deliveredAt }) => deliveredAt !== undefined)).toBe(true)
})

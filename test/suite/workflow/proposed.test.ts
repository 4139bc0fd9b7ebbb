/** A workflow that the model proposes: the user sees all of it and decides, it runs once, and the model is told how it ended. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openBackgroundWorld } from "../../kit/background-world.ts"
import { runCodewright } from "../../kit/run-codewright.ts"
import { calls, says, use } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const script = `export default async ({ agent }) => (await Promise.all([1, 2].map((n) => agent("part " + n + ".")))).join(" ")`
const proposal = use("Workflow", { name: "both", script, max_budget_usd: 1 })

const model: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const [, part] = /part (\d)\./.exec(JSON.stringify(messages[0])) ?? []
  if (part !== undefined) return says(`answer ${part}`)
  if (text.includes("<task-notification>")) return says("All parts are done.")
  const isDone = text.includes('"type":"tool_use"') && !JSON.stringify(messages.at(-1)).includes("Not run:")
  return isDone ? says("Started.") : calls(proposal)
}

test("nothing runs before it is approved; a kill in between starts nothing twice", async () => {
  await using world = await openBackgroundWorld(model)
  const id = await world.start("propose", "--name", "proposer")
  await world.until(id, "waiting")
  await world.ended()
  const [question] = world.progress(id).questions
  expect(question?.ask).toMatchObject({ kind: "permission", title: "Workflow both" })
  // All of the script, and what it may cost.
  expect(JSON.stringify(question)).toContain("part ")
  expect(JSON.stringify(question)).toContain("$1.00")
  const runsIn = (): readonly string[] => {
    try {
      return readdirSync(join(world.place.state, "workflows"))
    } catch {
      return []
    }
  }
  expect(runsIn()).toEqual([])

  expect(await world.run("sessions", "answer", id, "--allow")).toMatchObject({ code: 0 })
  while (!world.entries(id).some(({ kind }) => kind === "intent")) await Bun.sleep(1)
  const host = world.host()
  if (host !== undefined) process.kill(host, "SIGKILL")
  while (!JSON.stringify(world.entries(id)).includes("All parts are done.")) {
    if (world.host() === undefined) await world.run("agents")
    // A call that was not run is proposed again.
    await world.answer(id)
    await Bun.sleep(50)
  }
  const told = world.entries(id).filter((entry) => entry.kind === "attachment" && entry.name === "workflow_end")
  expect(told).toMatchObject([{ text: expect.stringContaining("answer 1 answer 2") }])
  expect(runsIn()).toHaveLength(1)
  // What the model was being asked when the host was killed is asked again, and nothing else.
  const asked = world.simulator.requests.flatMap(({ body }) => /"part \d\."/.exec(JSON.stringify(body))?.[0] ?? [])
  for (const part of ['"part 1."', '"part 2."']) expect([1, 2]).toContain(asked.filter((each) => each === part).length)
})

test("where nobody is asked it is not offered; a script that cannot be read is refused", async () => {
  await using world = await openBackgroundWorld(({ body }) =>
    JSON.stringify(body.messages).includes('"type":"tool_use"')
      ? says("No.")
      : calls(use("Workflow", { script: "export const a = 1", max_budget_usd: 1 })),
  )
  const id = await world.start("propose", "--allowed-tools", "Workflow")
  await world.until(id, "done")
  expect(world.entries(id).find((entry) => entry.kind === "result")).toMatchObject({ isError: true })
  const { requests } = await runCodewright({ argv: ["-p", "hello"], scenario: [says("Hi.")] })
  expect(JSON.stringify(requests[0]?.body)).not.toContain('"Workflow"')
})

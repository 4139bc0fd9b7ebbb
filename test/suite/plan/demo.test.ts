/** The built-in simulator in plan mode: it plans by rules, says so, and does after approval what it planned. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { play } from "#sim/demo/play.ts"
import type { Reply } from "#sim/reply.ts"
import type { Scenario, ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { approve, plainChance, planAnswers, planPath, planStory } from "./plan.ts"

setDefaultTimeout(300_000)

/** The demo, behind the same strict door as every scenario. */
const demo: Scenario = (request) => ({ content: play(request).content.flatMap(blockOf) })

function blockOf(block: Reply["content"][number]): readonly ScenarioBlock[] {
  if (block.type === "text") return [block.text]
  return block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : []
}

const files = {
  "package.json": `{ "type": "module", "scripts": { "test": "node --test" } }`,
  "src/total.js": "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n",
  "src/use.js": 'import { total } from "./total.js"\nconsole.log(total([1]))\n',
}

test("a renaming is planned with its files, approved, and carried out", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files,
    mode: "plan",
    script: demo,
    answers: planAnswers(approve("acceptEdits")),
  })
  expect(await t.prompt("rename total to sum")).toEqual({ reason: "completed" })
  const plan = readFileSync(t.path(planPath), "utf8")
  expect(plan).toContain("- `src/total.js`")
  expect(plan).toContain("- `src/use.js`")
  expect(t.read("src/use.js")).toContain("console.log(sum([1]))")
  expect(planStory(t)).toContain("plan approved agile-adding-acorn")
  expect(t.results().filter(({ isError }) => isError)).toEqual([])
  expect(t.simulator.stats().refusals).toBe(0)
})

test("a plan that is not approved is the end of it, and nothing was changed", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files,
    mode: "plan",
    script: demo,
    answers: planAnswers({ kind: "deny", words: "not like this", interrupt: false }),
  })
  await t.prompt("fix the failing test")
  expect(readFileSync(t.path(planPath), "utf8")).toContain("npm test")
  expect(t.results().some(({ tool }) => tool === "Bash")).toBe(false)
  const last = t.entries().findLast((entry) => entry.kind === "reply")
  expect(JSON.stringify(last)).toContain("cannot make another one")
})

test("a question needs no plan", async () => {
  await using t = await openTestSession({ ...plainChance, files, mode: "plan", script: demo, answers: planAnswers() })
  await t.prompt("explain this project")
  expect(t.results().map(({ tool, isError }) => [tool, isError])).not.toContainEqual(["ExitPlanMode", false])
  expect(t.results().filter(({ isError }) => isError)).toEqual([])
})

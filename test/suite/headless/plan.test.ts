/** Plan mode without anyone who could approve: the plan is there, nothing else is, and a script can tell. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn } from "../../kit/sent.ts"
import { calls, says, use, write } from "../../kit/script.ts"

/** Writes the plan where the program says it belongs, presents it, asks, and ends. */
const planner: ScenarioFunction = (request, { request: number }) => {
  const text = request.messages.map(({ content }) => JSON.stringify(content)).join("\n")
  const file = /plan file is (\S+\.md)/.exec(text)?.[1] ?? ""
  const question = { question: "Which?", header: "Way", multiSelect: false }
  const options = [
    { label: "this", description: "a" },
    { label: "that", description: "b" },
  ]
  const steps = [
    calls(use("AskUserQuestion", { questions: [{ ...question, options }] })),
    calls(write("made.txt", "no")),
    calls(write(file, "# The plan\n")),
    calls(use("ExitPlanMode", { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] })),
  ]
  return steps[number] ?? says("Ended: the plan is written.")
}

test.each([
  [["--detailed-exit-codes"], 3],
  [[], 0],
] as const)("with %j it ends with %d: the denial is named, and nothing is changed", async (flags, code) => {
  using place = openPlace({ "a.txt": "a\n" })
  const run = await runCodewright({
    place,
    argv: ["-p", "plan it", "--permission-mode", "plan", "--output-format", "json", ...flags],
    scenario: planner,
  })
  expect(run.code).toBe(code)
  const [asked, refused, , presented] = run.requests.slice(1).map(resultIn)
  expect(asked).toContain("Choose the most sensible option yourself")
  expect(refused).toContain("Plan mode is on")
  expect(presented).toContain("Nobody approved the plan")
  expect(presented).toContain("Do not call ExitPlanMode again")
  const [result] = linesOf(run.stdout)
  expect(result).toMatchObject({ subtype: "success", is_error: false, result: "Ended: the plan is written." })
  expect(result?.permission_denials).toMatchObject([
    { tool_name: "Write", tool_input: { file_path: "made.txt" } },
    { tool_name: "ExitPlanMode" },
  ])
  expect(readdirSync(place.work)).toEqual(["a.txt"])
  const [file = ""] = readdirSync(join(place.state, "plans"))
  expect(readFileSync(join(place.state, "plans", file), "utf8")).toBe("# The plan\n")
})

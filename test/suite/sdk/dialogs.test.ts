/** Questions of the model and plans go through the client; settings and trust are ours. */

import { expect } from "bun:test"
import type { PermissionResult } from "claude-agent-sdk-0.3"
import { bash, calls, use, write } from "../../kit/script.ts"
import { type Message, openWorld, resultOf, withBoth } from "./drive.ts"

const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "Warm" },
    { label: "Blue", description: "Cold" },
  ],
  multiSelect: false,
}

withBoth("a question of the model is answered by the client", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(use("AskUserQuestion", { questions: [question] })), "Blue it is."],
  })
  const asked: unknown[] = []
  const told = await world.run("choose", {
    canUseTool(tool, input) {
      asked.push({ tool, input })
      return Promise.resolve({
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which colour?": "Blue" } },
      })
    },
  })
  expect(asked).toEqual([{ tool: "AskUserQuestion", input: { questions: [question] } }])
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Which colour? Blue")
  const result = told.messages.find(({ type }) => type === "user") as Message
  expect(result.tool_use_result).toMatchObject({ answers: { "Which colour?": "Blue" } })
  expect(resultOf(told).permission_denials).toEqual([])
})

withBoth("no client, no questions: the tool is not offered", async (version) => {
  await using world = await openWorld(version, { scenario: ["Fine."] })
  const told = await world.run("go")
  const { tools } = told.messages[0] as unknown as { tools: string[] }
  expect(tools).not.toContain("AskUserQuestion")
})

withBoth("a plan is shown to the client; its yes leaves plan mode for the one it names", async (version) => {
  const answers: PermissionResult[] = []
  const asked: { tool: string; plan: unknown }[] = []
  await using world = await openWorld(version, {
    scenario: (request, { turn }) => {
      const plan = /\S+\/plans\/[\w-]+\.md/.exec(JSON.stringify(request))?.[0] ?? "none.md"
      if (turn === 0) return calls(write(plan, "# Plan\n\n1. Write a.txt\n"))
      if (turn === 1) return calls(use("ExitPlanMode", {}))
      if (turn === 2) return calls(use("ExitPlanMode", {}))
      return turn === 3 ? calls(write("a.txt", "done")) : { content: "Built." }
    },
  })
  answers.push({ behavior: "deny", message: "Say more." })
  const told = await world.run("build it", {
    permissionMode: "plan",
    canUseTool(tool, input) {
      if (tool !== "ExitPlanMode") return Promise.resolve({ behavior: "allow", updatedInput: input })
      asked.push({ tool, plan: input["plan"] })
      return Promise.resolve(
        answers.shift() ?? {
          behavior: "allow",
          updatedInput: input,
          updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
        },
      )
    },
  })
  expect(asked.map(({ tool }) => tool)).toEqual(["ExitPlanMode", "ExitPlanMode"])
  expect(String(asked[0]?.plan)).toContain("1. Write a.txt")
  expect(
    told.messages.flatMap(({ subtype, permissionMode }) => (subtype === "status" ? [permissionMode] : [])),
  ).toEqual(["acceptEdits"])
  expect(await world.place.read("a.txt")).toBe("done")
  expect(resultOf(told)).toMatchObject({ result: "Built." })
})

withBoth(
  "rules of a folder that nobody trusts do not allow; its denials count; flags and --settings are the caller's",
  async (version) => {
    const scenario = [calls(bash("touch a")), calls(bash("touch b")), "Done."]
    const files = {
      ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(touch a)"], deny: ["Bash(touch b)"] } }),
    }
    await using untrusted = await openWorld(version, { scenario, files })
    const first = await untrusted.run("go")
    expect(resultOf(first).permission_denials).toHaveLength(2)
    expect(untrusted.stderr()).toContain(".claude/settings.json")
    await using given = await openWorld(version, { scenario, files })
    const second = await given.run("go", { settings: JSON.stringify({ permissions: { allow: ["Bash(touch:*)"] } }) })
    expect(resultOf(second).permission_denials).toMatchObject([{ tool_input: { command: "touch b" } }])
    await using none = await openWorld(version, { scenario, files })
    const third = await none.run("go", { settingSources: [], allowedTools: ["Bash"] })
    expect(resultOf(third).permission_denials).toEqual([])
  },
)

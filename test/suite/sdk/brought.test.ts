/** What a program with the SDK brings along: servers inside it, callbacks, a form for the answer. */

import { expect, test } from "bun:test"
import { createSdkMcpServer as server03, tool as tool03 } from "claude-agent-sdk-0.3"
import { createSdkMcpServer as server02, tool as tool02 } from "claude-agent-sdk-0.2"
import { z } from "zod"
import { isObject } from "#lib/json.ts"
import { heard, openStream, openWorld, resultOf, type Version, withBoth } from "./drive.ts"

const call = (tool: string, input: object) => ({ content: [{ tool, input }] }) as never

/** A server with one tool, made by the SDK that is tested. */
function calculator(version: Version, name = "calc") {
  const shape = { a: z.number(), b: z.number() }
  const run = async ({ a, b }: { a: number; b: number }) => ({
    content: [{ type: "text" as const, text: String(a + b) }],
  })
  if (version === "0.2")
    return server02({ name, tools: [tool02("add", "Adds.", shape, run)] }) as unknown as ReturnType<typeof server03>
  return server03({ name, tools: [tool03("add", "Adds.", shape, run)] })
}

withBoth("a tool of a server inside the program is called, and its result reaches the model", async (version) => {
  await using world = await openWorld(version, { scenario: [call("mcp__calc__add", { a: 40, b: 2 }), "It is 42."] })
  const told = await world.run("add", {
    mcpServers: { calc: calculator(version) },
    allowedTools: ["mcp__calc__add"],
  })
  expect(told.thrown).toBeUndefined()
  expect(resultOf(told)).toMatchObject({ subtype: "success", result: "It is 42." })
  expect(JSON.stringify(world.requests()[1]?.body)).toContain('"42"')
  const init = told.messages.find(({ subtype }) => subtype === "init")
  expect(init).toMatchObject({ mcp_servers: [{ name: "calc", status: "connected" }] })
  expect(init?.tools).toContain("mcp__calc__add")
})

withBoth("servers are set while the program runs, and their state is told", async (version) => {
  await using world = await openWorld(version, {
    scenario: ["Hello.", call("mcp__late__add", { a: 1, b: 2 }), "3."],
    env: { ENABLE_TOOL_SEARCH: "false" },
  })
  const stream = openStream()
  const running = world.query({
    prompt: stream.prompt,
    options: world.options({ allowedTools: ["mcp__late__add"] }),
  })
  const told = heard(running)
  const change = await running.setMcpServers({ late: calculator(version, "late") })
  expect(change).toMatchObject({ added: ["late"], removed: [], errors: {} })
  stream.say("hi")
  stream.say("add")
  stream.end()
  const { messages, thrown } = await told
  expect(thrown).toBeUndefined()
  expect(messages.findLast(({ type }) => type === "result")).toMatchObject({ result: "3." })
})

withBoth("callbacks guard calls and hear of the whole turn", async (version) => {
  await using world = await openWorld(version, { scenario: [call("Bash", { command: "touch made" }), "Understood."] })
  const events: string[] = []
  const hear = async (input: { hook_event_name: string }) => {
    events.push(input.hook_event_name)
    return {}
  }
  const told = await world.run("go", {
    permissionMode: "acceptEdits",
    hooks: {
      UserPromptSubmit: [{ hooks: [hear] }],
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            async (input) => {
              events.push(input.hook_event_name)
              return {
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "deny",
                  permissionDecisionReason: "Not now.",
                },
              }
            },
          ],
        },
      ],
      Stop: [{ hooks: [hear] }],
    },
  })
  expect(told.thrown).toBeUndefined()
  expect(events).toEqual(["UserPromptSubmit", "PreToolUse", "Stop"])
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("Not now.")
})

withBoth("the answer is data in the form that was asked for, or the result says that it is not", async (version) => {
  const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] }
  const outputFormat = { type: "json_schema", schema } as const
  await using world = await openWorld(version, {
    scenario: [call("StructuredOutput", { age: "36" }), call("StructuredOutput", { age: 36 })],
  })
  const told = await world.run("how old?", { outputFormat })
  expect(told.thrown).toBeUndefined()
  expect(resultOf(told)).toMatchObject({ subtype: "success", result: '{"age":36}', structured_output: { age: 36 } })
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("/age: must be an integer")

  const wrong = call("StructuredOutput", {})
  await using other = await openWorld(version, { scenario: [wrong, wrong, wrong, wrong, wrong] })
  const failed = await other.run("how old?", { outputFormat })
  expect(resultOf(failed)).toMatchObject({ subtype: "error_max_structured_output_retries", is_error: true })
})

test("SDK 0.3: skills are chosen, plans are made the client's way, and the prompt is the same in every folder", async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nDo ${name}.\n`
  await using world = await openWorld("0.3", {
    scenario: ["Planned."],
    files: {
      "../home/.claude/skills/one/SKILL.md": skill("one"),
      "../home/.claude/skills/two/SKILL.md": skill("two"),
    },
  })
  const told = await world.run("plan it", {
    permissionMode: "plan",
    skills: ["one"],
    planModeInstructions: "Plan in rhymes only.",
    systemPrompt: { type: "preset", preset: "claude_code", excludeDynamicSections: true },
  } as never)
  expect(told.thrown).toBeUndefined()
  const body = world.requests()[0]?.body
  const { system = null, messages = null } = isObject(body) ? body : {}
  expect(JSON.stringify(system)).not.toContain(world.place.work)
  const said = JSON.stringify(messages)
  expect(said).toContain("Plan in rhymes only.")
  expect(said).toContain("About one")
  expect(said).not.toContain("About two")
})

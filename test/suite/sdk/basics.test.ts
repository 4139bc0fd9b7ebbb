/** One prompt, several prompts, what each is told, and how a run ends. */

import { expect } from "bun:test"
import { isObject } from "#lib/json.ts"
import { heard, kinds, openStream, openWorld, resultOf, withBoth } from "./drive.ts"

withBoth("a string prompt is answered: init, the answer, the result", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello there."] })
  const told = await world.run("hi")
  expect(told.thrown).toBeUndefined()
  expect(kinds(told)).toEqual(["system/init", "assistant", "result/success"])
  expect(told.messages[0]).toMatchObject({
    cwd: world.place.work,
    permissionMode: "default",
    apiKeySource: "ANTHROPIC_API_KEY",
    claude_code_version: "2.1.325",
    output_style: "default",
    mcp_servers: [],
    plugins: [],
  })
  expect(told.messages[1]).toMatchObject({
    message: { role: "assistant", content: [{ type: "text", text: "Hello there." }], stop_reason: null },
    parent_tool_use_id: null,
  })
  expect(resultOf(told)).toMatchObject({
    is_error: false,
    result: "Hello there.",
    num_turns: 1,
    stop_reason: "end_turn",
    terminal_reason: "completed",
    permission_denials: [],
  })
  expect(new Set(told.messages.map(({ session_id }) => session_id)).size).toBe(1)
  expect(new Set(told.messages.map(({ uuid }) => uuid)).size).toBe(told.messages.length)
})

withBoth("the system prompt is empty unless the client says otherwise", async (version) => {
  await using world = await openWorld(version, { scenario: ["a", "b", "c", "d"] })
  await world.run("hi")
  await world.run("hi", { systemPrompt: "Be terse." })
  await world.run("hi", { systemPrompt: { type: "preset", preset: "claude_code" } })
  await world.run("hi", { systemPrompt: { type: "preset", preset: "claude_code", append: "And kind." } })
  const [none, own, preset, more] = world
    .requests()
    .map(({ body }) => JSON.stringify((isObject(body) && body.system) || []))
  expect(none).toBe("[]")
  expect(own).toContain("Be terse.")
  expect(own).not.toContain("Codewright")
  expect(preset).toContain("Codewright")
  expect(more).toContain("And kind.")
})

withBoth("several messages in one process get one result each, and their costs add up", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three."] })
  const stream = openStream()
  for (const text of ["first", "second", "third"]) stream.say(text)
  stream.end()
  const told = await heard(world.query({ prompt: stream.prompt, options: world.options() }))
  expect(told.thrown).toBeUndefined()
  const turn = ["system/init", "assistant", "result/success"]
  expect(kinds(told)).toEqual([...turn, ...turn, ...turn])
  const results = told.messages.filter(({ type }) => type === "result")
  expect(results.map(({ result }) => result)).toEqual(["One.", "Two.", "Three."])
  const costs = results.map(({ total_cost_usd }) => Number(total_cost_usd))
  expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  expect(costs[2]).toBeGreaterThan(costs[0] ?? 0)
})

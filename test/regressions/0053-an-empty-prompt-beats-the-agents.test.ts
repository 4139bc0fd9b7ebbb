/** The SDK sends an empty system prompt where the program gave none; with `agent`, the agent's own is sent. */

import { expect, test } from "bun:test"
import { withAgentPrompt } from "#faces/cli/flags/system-prompt.ts"
import { isObject } from "#lib/json.ts"
import { openWorld, type Version } from "../suite/sdk/drive.ts"

const helper = { agent: "helper", agents: { helper: { description: "Helps.", prompt: "You help with hats." } } }

const systemOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "system" in body ? JSON.stringify(body.system) : ""

test.each(["0.3", "0.2"] satisfies Version[])("SDK %s", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three."] })
  await world.run("hi", helper)
  await world.run("hi", { ...helper, systemPrompt: "You count sheep." })
  await world.run("hi")
  const [alone, replaced, none] = world.requests().map(({ body }) => (isObject(body) ? systemOf(body) : ""))
  expect(alone).toContain("You help with hats.")
  expect(replaced).toContain("You count sheep.")
  expect(replaced).not.toContain("hats")
  // Without an agent, an empty prompt is what the SDK means.
  expect(none).not.toContain("hats")
  expect(none).not.toContain("coding agent")
})

test("only an empty prompt gives way", () => {
  expect(withAgentPrompt({ replaced: "" }, "Agent.")).toEqual({ playing: "Agent." })
  expect(withAgentPrompt({ replaced: "\n\n", appended: "More." }, "Agent.")).toEqual({
    appended: "More.",
    playing: "Agent.",
  })
  expect(withAgentPrompt({ replaced: "Mine." }, "Agent.")).toEqual({ replaced: "Mine.", playing: "Agent." })
  expect(withAgentPrompt({ replaced: "" }, undefined)).toEqual({ replaced: "" })
})

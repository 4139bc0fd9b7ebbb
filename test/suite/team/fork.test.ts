/** An agent with the lead's conversation has the lead's list of tools, for the cache; using the team's is not for it. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { calls, says, use } from "../../kit/script.ts"
import { create, openTeamSession, send } from "./crew.ts"

setDefaultTimeout(300_000)

test("its list is the same, and it cannot speak as the lead", async () => {
  const [general] = builtinAgents()
  if (!general) throw new Error("no agent")
  await using t = await openTeamSession({
    agents: [{ ...general, agentType: "twin", forkContext: true }],
    script: {
      replies: [
        calls(create),
        calls(use("Task", { description: "a look", prompt: "look", subagent_type: "twin" })),
        calls(send("*", "I am the lead")),
        calls(use("TeamDelete", {})),
        says("I may not."),
        says("Good."),
      ],
    },
  })
  await t.prompt("go")
  const lists = t.simulator.requests.map(({ body }) => JSON.stringify((body as { tools: unknown }).tools))
  expect(lists).toHaveLength(6)
  expect(new Set(lists.slice(1)).size).toBe(1)
  const said = JSON.stringify(t.requests()[4])
  expect(said).toContain("SendMessage is not available to this agent.")
  expect(said).toContain("TeamDelete is not available to this agent.")
})

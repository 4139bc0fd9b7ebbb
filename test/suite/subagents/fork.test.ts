/** An agent that starts from the conversation of its parent: the same beginning byte for byte, and no more rights than any other. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { resultsOf } from "./cast.ts"

setDefaultTimeout(300_000)

const twin: AgentDefinition = {
  agentType: "twin",
  whenToUse: "When it must know all of this.",
  systemPrompt: "Not used.",
  forkContext: true,
  source: "project",
}

test("it knows what was said, and its requests begin as those of its parent did", async () => {
  await using t = await openTestSession({
    agents: [twin],
    files: { "a.txt": "blue\n" },
    script(request) {
      const said = JSON.stringify(request.messages.at(-1))
      const isTwin = JSON.stringify(request.messages).includes("Now you:")
      if (isTwin && said.includes("Now you:"))
        return calls(use("Task", { description: "d", prompt: "p", subagent_type: "twin" }), use("EnterPlanMode", {}))
      if (isTwin) return says("It was blue, as I knew.")
      if (said.includes("It was blue, as I knew.")) return says("Confirmed.")
      if (said.includes("blue"))
        return calls(use("Task", { description: "the same", prompt: "Now you: what was it?", subagent_type: "twin" }))
      return calls(read("a.txt"))
    },
  })
  expect(await t.prompt("Which colour?")).toEqual({ reason: "completed" })
  expect(resultsOf(t, "Task")[0]).toStartWith("It was blue, as I knew.")

  const bodies = t.simulator.requests.map(
    ({ body }) => body as { system: unknown; tools: unknown; messages: unknown[] },
  )
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)))
  const [, parent] = bodies
  const own = bodies.find(({ messages }) => JSON.stringify(messages).includes("Now you:"))
  expect(plain(own?.system)).toEqual(plain(parent?.system))
  expect(plain(own?.tools)).toEqual(plain(parent?.tools))
  const before = plain(parent?.messages) as { content: unknown[] }[]
  const after = plain(own?.messages) as { content: unknown[] }[]
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  expect(after[before.length - 1]?.content.slice(0, before.at(-1)?.content.length)).toEqual(
    before.at(-1)?.content ?? [],
  )
  // What only the main agent may use is in the list, and refused.
  const agent = (await t.ask({ type: "agents" }))[0]?.fact.agentId ?? ""
  const results = ((await t.ask({ type: "agent", agentId: agent })) ?? []).filter((entry) => entry.kind === "result")
  expect(results.map(({ isError }) => isError)).toEqual([true, true])
  expect(JSON.stringify(results[0])).toContain("Task is not available to this agent")
})

/** Where agents work beside the conversation: calls do not wait unless they say so, and the model is told that. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, children, requestsOf, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const boss: AgentDefinition = {
  agentType: "boss",
  whenToUse: "Has others work.",
  systemPrompt: "Have others work.",
  tools: ["Task"],
  source: "project",
}
const worker: AgentDefinition = { ...boss, agentType: "worker", whenToUse: "Works.", tools: ["Bash"] }

const taskIn = (request: unknown): string =>
  JSON.stringify((request as { tools: readonly { name: string }[] }).tools.find(({ name }) => name === "Task"))

test("a call that says nothing does not wait, one that says so does, and the end is told", async () => {
  await using t = await openTestSession({
    besideAgents: true,
    script: cast({
      main: [
        calls(task("alpha"), task("beta", { run_in_background: false })),
        calls(bash("while [ ! -e done.txt ]; do sleep 0.02; done; sleep 0.3")),
        says("I wait."),
        says("I heard."),
      ],
      alpha: [calls(bash("touch done.txt")), says("All done.")],
      beta: [says("At once.")],
    }),
  })
  await t.prompt("go")
  const [beside, waited] = resultsOf(t, "Task")
  expect(beside).toContain("works in the background")
  expect(waited).toStartWith("At once.")
  expect(children(t).filter(({ state }) => state === "background")).toHaveLength(1)
  expect(t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "agent_end")).toHaveLength(1)
  expect(taskIn(requestsOf(t, "go")[0])).toContain("The call does not wait")
})

test("an agent waits for the agents that it starts", async () => {
  await using t = await openTestSession({
    besideAgents: true,
    agents: [boss, worker],
    script: cast({
      main: [calls(task("alpha", { subagent_type: "boss", run_in_background: false })), says("Done.")],
      alpha: [calls(task("beta", { subagent_type: "worker" })), says("Beta has answered.")],
      beta: [says("From beta.")],
    }),
  })
  await t.prompt("go")
  const [request] = requestsOf(t, "alpha: do it.")
  expect(taskIn(request)).not.toContain("The call does not wait")
  expect(JSON.stringify(requestsOf(t, "alpha: do it."))).toContain("From beta.")
})

test("where nobody asks for it, calls wait as they always did", async () => {
  await using t = await openTestSession({
    script: cast({ main: [calls(task("alpha")), says("Done.")], alpha: [says("From alpha.")] }),
  })
  await t.prompt("go")
  expect(resultsOf(t, "Task")[0]).toStartWith("From alpha.")
  expect(taskIn(requestsOf(t, "go")[0])).not.toContain("The call does not wait")
})

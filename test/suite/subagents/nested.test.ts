/** Agents of agents: listed below the one that started them, opened, spoken to and stopped alone. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, task } from "./cast.ts"

setDefaultTimeout(300_000)

const boss: AgentDefinition = {
  agentType: "boss",
  whenToUse: "Has others work.",
  systemPrompt: "Have others work.",
  tools: ["Task", "Bash"],
  color: "purple",
  source: "project",
}
const worker: AgentDefinition = {
  agentType: "worker",
  whenToUse: "Works.",
  systemPrompt: "Work.",
  tools: ["Bash"],
  source: "project",
}

const opened = (): Promise<TestSession> =>
  openTestSession({
    agents: [boss, worker],
    script: cast({
      main: [calls(task("alpha", { subagent_type: "boss" })), says("Done.")],
      alpha: [calls(task("beta", { subagent_type: "worker" })), says("The boss is done.")],
      beta: [
        calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done")),
        calls(bash("touch more; sleep 86395")),
        says("The worker is done."),
      ],
    }),
  })

async function there(t: TestSession, name: string): Promise<void> {
  while (!(await Bun.file(t.path(name)).exists())) await Bun.sleep(10)
}

test("an agent's own agent is listed below it, can be read, spoken to and stopped alone", async () => {
  await using t = await opened()
  t.say("go")
  await there(t, "on")
  const [top] = await t.ask({ type: "agents" })
  const [inner] = top?.agents ?? []
  expect([top?.fact.agentType, top?.fact.color]).toEqual(["boss", "purple"])
  expect([inner?.fact.agentType, inner?.fact.description, inner?.fact.state]).toEqual([
    "worker",
    "the beta work",
    "started",
  ])
  const agentId = inner?.fact.agentId ?? ""
  expect(
    await t.session.submit({ type: "steer_agent", agentId, content: [{ type: "text", text: "look left" }] }),
  ).toEqual({ ok: true, value: undefined })
  await Bun.write(t.path("go"), "")
  await there(t, "more")
  const read = JSON.stringify(await t.ask({ type: "agent", agentId }))
  expect(read).toContain("beta: do it.")
  expect(read).toContain("look left")
  expect(await t.session.submit({ type: "stop_agent", agentId })).toEqual({ ok: true, value: undefined })
  await t.settled()
  const [after] = await t.ask({ type: "agents" })
  expect([after?.fact.end, after?.agents?.[0]?.fact.end]).toEqual(["completed", "stopped"])
  expect((await t.session.submit({ type: "stop_agent", agentId })).ok).toBe(false)
})

test("after a resume the agents of agents are still listed and can be read", async () => {
  await using t = await opened()
  await Bun.write(t.path("go"), "")
  t.say("go")
  await there(t, "more")
  const [top] = await t.ask({ type: "agents" })
  const agentId = top?.agents?.[0]?.fact.agentId ?? ""
  await t.session.submit({ type: "stop_agent", agentId })
  await t.settled()
  await using again = await t.reopen()
  const [kept] = await again.ask({ type: "agents" })
  expect(kept?.agents?.map(({ fact }) => [fact.agentId, fact.end])).toEqual([[agentId, "stopped"]])
  expect(JSON.stringify(await again.ask({ type: "agent", agentId }))).toContain("beta: do it.")
})

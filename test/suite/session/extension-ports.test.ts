/** What the panels see of a real session: servers that are real programs, agents at work, hooks that ran, skills in files. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { toolTokens } from "#session/slash/reports.ts"
import type { Entry } from "#agent/words/entry.ts"
import { extensionPorts } from "#faces/cli/extensions/extension-ports.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { deferred } from "#lib/deferred.ts"
import { ok } from "#lib/result.ts"
import { everything, servers } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, requestsOf, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

/** Resolves when what is looked at fits, asked anew whenever something is said to have changed. */
function once(watch: (changed: () => void) => () => void, fits: () => Promise<boolean>): Promise<void> {
  const come = deferred<void>()
  const look = async (): Promise<void> => {
    if (await fits()) come.resolve()
  }
  const stop = watch(() => void look())
  void look()
  return come.promise.finally(stop)
}

test("agents are seen as they work, are spoken to and stopped, and those that are over say so", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha", { run_in_background: true }), task("beta", { run_in_background: true })), says("Ok.")],
      alpha: [calls(bash("while [ ! -e go ]; do sleep 0.02; done")), says("Alpha is done.")],
      beta: [calls(bash("sleep 86395")), says("never said")],
    }),
  })
  const { tasks } = extensionPorts(t.session)
  if (!tasks) throw new Error("no port")
  const agent = async (word: string) => (await tasks.agents()).find(({ fact }) => fact.description.includes(word))
  t.say("go")
  await once(tasks.watch, async () => {
    const [one, other] = [await agent("alpha"), await agent("beta")]
    return one?.doing !== undefined && other?.doing !== undefined
  })
  const alpha = (await agent("alpha"))?.fact.agentId ?? ""
  const beta = (await agent("beta"))?.fact.agentId ?? ""
  expect(await agent("beta")).toMatchObject({ fact: { state: "background" }, usage: { toolUses: 1 } })
  const isIntent = (entry: Entry): boolean => entry.kind === "intent" && entry.title.includes("86395")
  await once(tasks.watch, async () => (await tasks.agent(beta))?.some(isIntent) === true)

  expect(await tasks.stop(beta)).toEqual(ok(undefined))
  await once(tasks.watch, async () => (await agent("beta"))?.fact.state === "ended")
  expect((await agent("beta"))?.fact.end).toBe("stopped")
  expect(await tasks.stop(beta)).toEqual({ ok: false, failure: "That agent is not running any more." })
  expect(await tasks.say(beta, "hello")).toEqual({ ok: false, failure: "That agent is not running any more." })
  expect((await tasks.say("../../etc", "hello")).ok).toBe(false)

  expect(await tasks.say(alpha, "look at the tests")).toEqual(ok(undefined))
  writeFileSync(t.path("go"), "")
  await once(tasks.watch, async () => (await agent("alpha"))?.fact.state === "ended")
  expect(JSON.stringify(requestsOf(t, "alpha").at(-1))).toContain("look at the tests")
  expect(JSON.stringify(await tasks.agent(alpha))).toContain("Alpha is done.")
  await t.settled()
})

test("servers are seen with what they offer and cost, go and come back", async () => {
  const broken: McpServer = {
    name: "broken",
    source: "project",
    config: ok({ kind: "stdio", command: "sh", args: ["-c", "echo no database >&2; exit 3"], env: {} }),
  }
  await using t = await openTestSession({ script: [], mcp: servers([everything(), broken]) })
  const { mcp } = extensionPorts(t.session)
  if (!mcp) throw new Error("no port")
  const server = async (name: string) => (await mcp.servers()).find((one) => one.name === name)
  await once(mcp.watch, async () => {
    const [whole, half] = [await server("everything"), await server("broken")]
    return whole?.status === "connected" && half?.status === "failed"
  })
  expect(await server("broken")).toMatchObject({ source: "project", tools: [], stderrTail: "no database" })
  const echo = (await server("everything"))?.tools.find(({ name }) => name === "echo")
  const { name, description, inputSchema } = echo ?? {}
  expect(description).toBe("Echoes back the input string")
  const length = JSON.stringify({ name, description, input_schema: inputSchema }).length
  expect(echo && toolTokens(echo)).toBe(Math.ceil(length / 4))
  expect(await mcp.disable("everything")).toEqual(ok(undefined))
  expect(await server("everything")).toMatchObject({ status: "disabled", tools: [] })
  expect(await mcp.enable("everything")).toEqual(ok(undefined))
  expect((await server("everything"))?.status).toBe("connected")
  expect((await mcp.reconnect("broken")).ok).toBe(false)
  expect((await mcp.reconnect("nobody")).ok).toBe(false)
})

test("without servers there is an empty list, and nothing to do about it", async () => {
  await using t = await openTestSession({ script: [] })
  const { mcp } = extensionPorts(t.session)
  expect(await mcp?.servers()).toEqual([])
  expect(await mcp?.reconnect("x")).toEqual({ ok: false, failure: "There is no MCP server x." })
  mcp?.watch(() => {})()
})

test("hooks are seen whole, with their runs; agents and skills with what their files say", async () => {
  const command = `echo ${"long ".repeat(30)}; exit 0`
  await using t = await openTestSession({
    script: [calls(bash("true")), says("Done.")],
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
    files: { ".codewright/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy it." },
    extensions: { claudeFolder: "/nowhere", bundled: false },
    place: { trusted: true },
  })
  const { hooks, agents, skills } = extensionPorts(t.session)
  await t.prompt("go")
  const look = await hooks?.overview()
  expect(look?.configured[0]).toMatchObject({
    event: "PreToolUse",
    matcher: "Bash",
    work: { type: "command", command },
  })
  expect(look?.runs).toMatchObject([{ event: "PreToolUse", matcher: "Bash", exit: 0, name: look?.configured[0]?.name }])
  expect((await agents?.list())?.map(({ agentType }) => agentType)).toContain("Explore")
  expect(await skills?.list()).toMatchObject([
    { name: "tidy", source: "project", description: "Tidies", body: "Tidy it." },
  ])
  writeFileSync(t.path(".codewright/skills/tidy/SKILL.md"), "---\ndescription: Tidies better\n---\nTidy it well.")
  expect(await skills?.list()).toMatchObject([{ name: "tidy", description: "Tidies better" }])
})

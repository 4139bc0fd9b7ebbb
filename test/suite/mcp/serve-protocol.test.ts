/** `codewright mcp serve` line by line: what is offered, what is refused, and who may continue a call. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { linesIn } from "#lib/input-lines.ts"
import type { JsonObject } from "#lib/json.ts"
import { openWorld } from "../../kit/acp/editor.ts"
import { openServed } from "../../kit/mcp/served.ts"
import { environmentOf, program, runCodewright } from "../../kit/run-codewright.ts"
import { says } from "../../kit/script.ts"

test("an agent is not offered the server it runs in", async () => {
  await using world = await openWorld([says("Here.")])
  const config = { mcpServers: { own: { command: program, args: ["mcp", "serve"] } } }
  world.place.write("servers.json", JSON.stringify(config))
  await using client = await openServed(world, { revision: "2026-07-28", argv: ["--mcp-config", "servers.json"] })
  expect((await client.call("agent", { prompt: "What do you have?" })).data.text).toBe("Here.")
  expect(JSON.stringify(world.requests()[0]?.body)).not.toContain("mcp__own")
})

test("--tools chooses what is served, to the agent, too", async () => {
  await using world = await openWorld([says("Here.")])
  await using client = await openServed(world, { revision: "2025-11-25", argv: ["--tools", "Read,agent"] })
  expect(await client.tools()).toEqual(["Read", "agent"])
  await client.call("agent", { prompt: "What do you have?" })
  const body = world.requests()[0]?.body as { readonly tools: readonly { readonly name: string }[] }
  expect(body.tools.map(({ name }) => name)).toContain("Read")
  expect(body.tools.map(({ name }) => name)).not.toContain("Bash")
  expect(client.call("Bash", { command: "ls" })).rejects.toThrow("Unknown tool: Bash")
  const refused = await runCodewright({ argv: ["mcp", "serve", "--tools", "Rad"], place: world.place })
  expect(refused).toMatchObject({ code: 1, stdout: "" })
  expect(refused.stderr).toContain("mcp serve has no tool Rad")
})

test("whatever a client sends, it is told what is wrong, and the next request is answered", async () => {
  const meta = (version: string, more: object = {}): object => ({
    _meta: { "io.modelcontextprotocol/protocolVersion": version, ...more },
  })
  const can = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }
  const call = (id: number, method: string, params: unknown): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params })
  const stdin = [
    "{",
    "[]",
    "7",
    call(1, "nothing/here", {}),
    call(2, "tools/list", meta("2030-01-01")),
    call(3, "tools/list", meta("2026-07-28")),
    call(4, "tools/call", {}),
    call(5, "tools/call", { name: "Read", arguments: [] }),
    call(6, "tools/call", { name: "Read", arguments: {}, requestState: "guessed", ...meta("2026-07-28", can) }),
    call(7, "initialize", { protocolVersion: "1999-01-01", capabilities: null, clientInfo: 7 }),
    call(8, "server/discover", meta("2026-07-28", can)),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: { a: 1 } } }),
    call(9, "ping", null),
  ].join("\n")
  const { code, stdout } = await runCodewright({ argv: ["mcp", "serve"], stdin })
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number }; result?: JsonObject })
  const of = (id: number): (typeof answers)[number] | undefined => answers.find((answer) => answer.id === id)
  expect(code).toBe(0)
  expect(answers.flatMap(({ id, error }) => (id === null ? [error?.code] : []))).toEqual([-32700, -32600, -32600])
  expect([1, 2, 3, 4, 5].map((id) => of(id)?.error?.code)).toEqual([-32601, -32022, -32602, -32602, -32602])
  expect(of(6)?.result).toMatchObject({ resultType: "complete", isError: true })
  expect(of(7)?.result).toMatchObject({ protocolVersion: "2025-11-25" })
  expect(of(8)?.result).toMatchObject({ resultType: "complete", supportedVersions: ["2026-07-28"] })
  expect(of(9)?.result).toEqual({})
})

test("an answer continues only the call that asked, and only once", async () => {
  await using world = await openWorld([])
  const child = Bun.spawn([program, "mcp", "serve"], {
    cwd: world.place.work,
    env: environmentOf(world.place, world.simulator.url),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const lines = linesIn(child.stdout)[Symbol.asyncIterator]()
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  }
  let id = 0
  const progress: JsonObject[] = []
  const ask = async (params: JsonObject): Promise<JsonObject> => {
    void child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params: { ...params, _meta: { ...meta, progressToken: id } } })}\n`,
    )
    for (;;) {
      const { value } = await lines.next()
      const message = value?.kind === "line" ? (JSON.parse(value.text) as JsonObject) : {}
      if (message.method === undefined) return message
      progress.push(message)
    }
  }
  const input = { name: "Bash", arguments: { command: "touch once" } }
  const asked = await ask(input)
  const { requestState, inputRequests, resultType } = asked.result as JsonObject
  expect(resultType).toBe("input_required")
  const [key = ""] = Object.keys(inputRequests as JsonObject)
  const inputResponses = { [key]: { action: "accept", content: { decision: "Yes" } } }
  const back = { requestState: requestState ?? "", inputResponses }
  const other = await ask({ name: "Bash", arguments: { command: "touch other" }, ...back })
  expect(other.error).toMatchObject({ code: -32602 })
  expect(existsSync(`${world.place.work}/other`)).toBe(false)
  expect((await ask({ ...input, ...back })).result).toMatchObject({ resultType: "complete", isError: false })
  expect(existsSync(`${world.place.work}/once`)).toBe(true)
  expect((await ask({ ...input, ...back })).result).toMatchObject({ isError: true })
  // It is told under the token of the request that waits.
  expect(progress).toEqual([
    {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1, message: "Bash touch once" },
    },
  ])
  void child.stdin.end()
  expect(await child.exited).toBe(0)
})

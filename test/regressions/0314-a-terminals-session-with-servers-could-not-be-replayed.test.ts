/** A terminal does not wait for servers, and neither did the replay of its session: the first request was sent without their tools. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openScreenRun } from "../kit/open-screen.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"

const server = `
let left = ""
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n")
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "dice", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "roll", description: "Rolls.", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "rolled " + Math.random() }] }),
}
process.stdin.on("data", (more) => {
  const lines = (left + more).split("\\n")
  left = lines.pop()
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line)
    if (id !== undefined) send({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} })
  }
})
`

test("the replay waits for the servers that the first request had", async () => {
  using place = openPlace({ "server.js": server })
  const config = JSON.stringify({ mcpServers: { dice: { command: "node", args: [join(place.work, "server.js")] } } })
  const flags = ["--mcp-config", config, "--allowed-tools", "mcp__dice__roll"]
  const id = "0b5e8e0c-6f0e-4d5e-9a51-5d0d3c3f0314"
  {
    await using run = await openScreenRun({
      place,
      argv: ["--session-id", id, ...flags],
      scenario: [calls(use("mcp__dice__roll", {})), says("It fell.")],
    })
    await run.shows("> Ask anything")
    run.type("/mcp\r")
    await run.asks("dice  connected")
    run.type("\u001b")
    await run.hides("dice  connected")
    run.type("roll\r")
    await run.shows("It fell.")
    run.type("/exit\r")
    expect(await run.exited).toBe(0)
  }
  const replayed = await runCodewright({ place, cwd: "/", argv: ["replay", id, "--json", ...flags] })
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { same: true, requests: 2, results: 1 }])
})

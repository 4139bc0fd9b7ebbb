/** A session with MCP servers from the command line is replayed with the same flag; the servers' answers come from the log. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use, write } from "../kit/script.ts"

/** Answers differently each time. */
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

test("with the flag it comes out the same, without it the report says what to give", async () => {
  using place = openPlace({ "server.js": server })
  const config = JSON.stringify({
    mcpServers: { dice: { command: "node", args: [join(place.work, "server.js")] } },
  })
  const allowed = ["--allowed-tools", "mcp__dice__roll,Write"]
  const run = await runCodewright({
    place,
    argv: ["-p", "roll", "--output-format", "json", "--mcp-config", config, ...allowed],
    scenario: [calls(use("mcp__dice__roll", {})), calls(write("b.txt", "x")), says("Done.")],
  })
  const id = String(linesOf(run.stdout).at(-1)?.session_id)
  const again = async (...argv: readonly string[]) => {
    const replayed = await runCodewright({ place, cwd: "/", argv: ["replay", id, "--json", ...allowed, ...argv] })
    return { code: replayed.code, ...JSON.parse(replayed.stdout) }
  }
  expect(await again("--mcp-config", config)).toMatchObject({ code: 0, same: true, requests: 3, results: 2, notes: [] })
  expect(await again()).toMatchObject({
    code: 1,
    same: false,
    notes: [expect.stringContaining("The session used the MCP servers dice.")],
  })
})

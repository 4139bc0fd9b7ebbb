/** A session with an MCP server at a URL: the copy has no network. The report says what to add, and then it comes out the same. */

import { expect, test } from "bun:test"
import { openRemoteServer } from "../kit/mcp/remote-server.ts"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use, write } from "../kit/script.ts"

test("unconfined, the server is connected to, and its answers come from the log", async () => {
  using place = openPlace()
  await using server = openRemoteServer()
  const config = JSON.stringify({ mcpServers: { far: { type: "http", url: server.url } } })
  const flags = ["--mcp-config", config, "--allowed-tools", "mcp__far__ping,Write"]
  // Tools are listed at once, so that the model need not search for them.
  const env = { ENABLE_TOOL_SEARCH: "0" }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--output-format", "json", ...flags],
    scenario: [calls(use("mcp__far__ping", {})), calls(write("b.txt", "x")), says("Done.")],
    env,
  })
  const id = String(linesOf(run.stdout).at(-1)?.session_id)
  const again = async (...argv: readonly string[]) => {
    const replayed = await runCodewright({ place, env, argv: ["replay", id, "--json", ...flags, ...argv] })
    return { code: replayed.code, ...JSON.parse(replayed.stdout) }
  }
  const confined = await again()
  expect(confined.notes.at(-1)).toContain("Servers at a URL cannot be reached from the copy: add --unconfined")
  expect(await again("--unconfined", "--yes")).toMatchObject({ code: 0, same: true, requests: 3, results: 2 })
  expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(1)
})

/** Servers from before 2026-07-28 that cannot stand being asked for their revisions, and servers that are turned off for good. */

import { expect, test } from "bun:test"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openApprovals } from "#ground/mcp/approvals.ts"
import { openOlderServers } from "#ground/mcp/older-servers.ts"
import { systemClock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { wayward, servers } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

/** Ends at the first request that is no handshake, as servers of some libraries do. */
const strict = (folder: string): McpServer => {
  const file = join(folder, "server.ts")
  writeFileSync(
    file,
    `import { appendFileSync } from "node:fs"
    const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
    let isOpen = false
    for await (const line of console) {
      const { id, method, params } = JSON.parse(line)
      appendFileSync(${JSON.stringify(join(folder, "asked"))}, method + "\\n")
      if (method === "initialize") {
        isOpen = true
        say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "strict", version: "1" } })
      } else if (!isOpen) process.exit(1)
      else if (method === "tools/list") say(id, { tools: [{ name: "ping", inputSchema: { type: "object" } }] })
      else if (method === "tools/call") say(id, { content: [{ type: "text", text: "pong" }] })
    }`,
  )
  return {
    name: "strict",
    source: "user",
    config: ok({ kind: "stdio", command: process.execPath, args: [file], env: {} }),
  }
}

test("a server that ends when it is asked is started again with the older handshake, and not asked the next time", async () => {
  using folder = temporaryFolder()
  const server = strict(folder.path)
  const asked = (): readonly string[] => readFileSync(join(folder.path, "asked"), "utf8").trim().split("\n")
  await using t = await openTestSession({
    script: [calls(use("mcp__strict__ping", {})), says("Done.")],
    mcp: servers([server]),
    allow: ["mcp__strict"],
  })
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe("pong")
  expect(asked().slice(0, 2)).toEqual(["server/discover", "initialize"])
  appendFileSync(join(folder.path, "asked"), "again\n")
  await t.session.submit({ type: "server", name: "strict", act: "reconnect" })
  expect(asked().slice(asked().indexOf("again") + 1)[0]).toBe("initialize")
})

test("what is known of older servers is forgotten after a week", () => {
  using folder = temporaryFolder()
  const config = { kind: "stdio", command: "x", args: ["a"], env: {} } as const
  const week = 7 * 24 * 3_600_000
  const at = (ms: number) => openOlderServers(folder.path, { ...systemClock, now: () => ms })
  expect(at(0).has(config)).toBe(false)
  at(0).keep(config)
  expect([at(week - 1).has(config), at(week).has(config), at(0).has({ ...config, args: [] })]).toEqual([
    true,
    false,
    false,
  ])
})

test("a server that is turned off in a folder stays off there until it is turned on", async () => {
  await using t = await openTestSession({ script: [says("Hi.")], mcp: servers([wayward("way")]) })
  const status = async (): Promise<unknown> => (await t.session.ask({ type: "servers" })).map((one) => one.status)
  const isOff = (): boolean => openApprovals(t.path("../state")).disabled(t.root).includes("way")
  await t.prompt("go")
  expect([await status(), isOff()]).toEqual([["connected"], false])
  await t.session.submit({ type: "server", name: "way", act: "disable_here" })
  expect([await status(), isOff()]).toEqual([["disabled"], true])
  await t.session.submit({ type: "server", name: "way", act: "enable" })
  expect([await status(), isOff()]).toEqual([["connected"], false])
})

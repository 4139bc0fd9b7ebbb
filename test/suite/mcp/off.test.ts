/** Servers that are all turned off: nothing of theirs is read or started until one is turned on, and then all works. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { openApprovals } from "#ground/mcp/approvals.ts"
import { findServers } from "#ground/mcp/servers.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const off = (server: McpServer): McpServer => ({ ...server, held: "disabled" })

test("one that is turned on in the session is reached, and its tools are called", async () => {
  await using t = await openTestSession({
    script: [says("None yet."), calls(use("mcp__way__look", {})), says("Done.")],
    mcp: servers([off(wayward("way")), off(wayward("other", "crash"))]),
    deferral: "never",
    allow: ["mcp__way"],
  })
  const states = async () => (await t.session.ask({ type: "servers" })).map(({ name, status }) => `${name} ${status}`)
  await t.prompt("go")
  expect(await states()).toEqual(["way disabled", "other disabled"])
  expect(await t.session.submit({ type: "server", name: "none", act: "enable" })).toMatchObject({ ok: false })
  await t.session.submit({ type: "server", name: "way", act: "enable" })
  expect(await states()).toEqual(["way connected", "other disabled"])
  await t.prompt("now")
  expect(t.results().map(({ tool, isError }) => ({ tool, isError }))).toEqual([
    { tool: "mcp__way__look", isError: false },
  ])
})

test("what is written of a server that is off is understood when it is asked for", () => {
  using folder = temporaryFolder()
  const written = { fine: { command: ["$", "{HOME}/x"].join("") }, wrong: { command: 7 }, "a\u202eb": { command: "x" } }
  writeFileSync(folder.join("mcp.json"), JSON.stringify({ mcpServers: written }))
  for (const name of Object.keys(written)) openApprovals(folder.path).keepDisabled("/work", name, true)
  const found = findServers({
    root: "/work",
    stateFolder: folder.path,
    claudeFile: folder.join("none.json"),
    scopes: ["user"],
    given: [],
    variables: { HOME: "/home/me" },
    childVariables: {},
    project: [],
    trust: "none",
    disabled: [],
    isLoader: () => false,
  })
  if (!found.ok) throw new Error(found.failure)
  const inShort = found.value.servers.map(({ name, held, config }) => [
    name,
    held,
    config.ok ? config.value : config.failure,
  ])
  expect(inShort).toEqual([
    ["fine", "disabled", { kind: "stdio", command: "/home/me/x", args: [], env: {} }],
    ["wrong", "disabled", expect.stringContaining("no command")],
    ["a\u202eb", "disabled", expect.stringContaining("plain words")],
  ])
})

/** What a client says about single servers and tools: asked about, denied, how long a call may take. */

import { expect, test } from "bun:test"
import { createSdkMcpServer, type McpServerConfig, tool } from "claude-agent-sdk-0.3"
import { calls, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const env = { ENABLE_TOOL_SEARCH: "false", IS_SANDBOX: "1" }
const bypass = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] })
const own = (more: object = {}): { own: McpServerConfig } => {
  const tools = [
    tool("look", "Looks", {}, async () => text("seen")),
    tool("drop", "Drops", {}, async () => text("dropped")),
    tool("wait", "Waits", {}, () => new Promise<never>(() => {})),
  ]
  return { own: { ...createSdkMcpServer({ name: "own", tools }), ...more } as never }
}
const policy = (name: string, permission_policy: string) => ({ name, permission_policy })

test("SDK 0.3: a tool is asked about although rules and mode allow it, another one is not there", async () => {
  await using world = await openWorld("0.3", {
    scenario: [calls(use("mcp__own__look", {}), use("mcp__own__wait", {})), "Done."],
    env,
  })
  const asked: string[] = []
  const told = await world.run("go", {
    ...bypass,
    allowedTools: ["mcp__own"],
    mcpServers: own({
      timeout: 1_000,
      tools: [policy("look", "always_ask"), policy("drop", "always_deny"), policy("wait", "always_allow")],
    }),
    canUseTool: async (name, input) => {
      asked.push(name)
      return { behavior: "allow", updatedInput: input }
    },
  })
  expect(resultOf(told).result).toBe("Done.")
  expect(asked).toEqual(["mcp__own__look"])
  const { tools } = told.messages.find(({ subtype }) => subtype === "init") as unknown as { tools: readonly string[] }
  expect(tools).toContain("mcp__own__look")
  expect(tools).not.toContain("mcp__own__drop")
  const sent = JSON.stringify(world.requests()[1]?.body)
  expect(sent).toContain("seen")
  expect(sent).toContain("The server did not finish within 1 s.")
})

test("SDK 0.3: servers that are set later bring their policies along", async () => {
  await using world = await openWorld("0.3", { scenario: ["Hello.", calls(use("mcp__own__look", {})), "Done."], env })
  const asked: string[] = []
  const chat = openChat(world, {
    ...bypass,
    canUseTool: async (name) => {
      asked.push(name)
      return { behavior: "deny", message: "no" }
    },
  })
  chat.stream.say("hello")
  await chat.next(isResult)
  await chat.query.setMcpServers(own({ tools: [policy("look", "always_ask")] }))
  chat.stream.say("go")
  expect(await chat.next(isResult)).toMatchObject({
    result: "Done.",
    permission_denials: [{ tool_name: "mcp__own__look" }],
  })
  expect(asked).toEqual(["mcp__own__look"])
  await chat.end()
})

test("SDK 0.3: the mode of one server is tightened, and loosened again", async () => {
  const call = calls(use("mcp__own__look", {}))
  await using world = await openWorld("0.3", { scenario: [call, "One.", call, "Two.", call, "Three."], env })
  const asked: string[] = []
  const chat = openChat(world, {
    ...bypass,
    mcpServers: own(),
    canUseTool: async (name, input) => {
      asked.push(name)
      return { behavior: "allow", updatedInput: input }
    },
  })
  const turn = async (): Promise<number> => {
    chat.stream.say("go")
    await chat.next(isResult)
    return asked.splice(0).length
  }
  expect(await turn()).toBe(0)
  expect(await chat.query.setMcpPermissionModeOverride("own", "default")).toEqual({})
  expect(await turn()).toBe(1)
  expect(await chat.query.setMcpPermissionModeOverride("own", null)).toEqual({})
  expect(await turn()).toBe(0)
  expect(await chat.query.setMcpPermissionModeOverride("nobody", "default")).toEqual({
    warning: "There is no MCP server nobody now.",
  })
  await expect(chat.query.setMcpPermissionModeOverride("own", "auto")).rejects.toThrow("Only the mode default")
  await chat.end()
})

/** What a client says about tools that are loaded later: which never are, and what others are found by. */

import { expect, test } from "bun:test"
import { createSdkMcpServer, tool } from "claude-agent-sdk-0.3"
import { join } from "node:path"
import { calls, use } from "../../kit/script.ts"
import { openWorld, resultOf, type World } from "./drive.ts"

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] })
/** Far more than a tenth of the window, so that tools are deferred. */
const long = "word ".repeat(400)
const many = Array.from({ length: 80 }, (_, at) => tool(`tool_${at}`, long, {}, async () => text("done")))

interface Sent {
  readonly tools: readonly { readonly name: string; readonly defer_loading?: boolean }[]
}
const listed = (world: World): readonly string[] => {
  const { tools = [] } = (world.requests()[0]?.body ?? {}) as Partial<Sent>
  return tools.flatMap(({ name, defer_loading }) => (name.startsWith("mcp__") && !defer_loading ? [name] : []))
}

test("SDK 0.3: a tool that is always loaded is listed, another one is found by its hint", async () => {
  await using world = await openWorld("0.3", {
    scenario: [calls(use("ToolSearch", { query: "invoice" })), calls(use("mcp__own__settle", {})), "Done."],
  })
  const own = createSdkMcpServer({
    name: "own",
    tools: [
      ...many,
      tool("look", "Looks", {}, async () => text("seen"), { alwaysLoad: true }),
      tool("settle", "Does the books", {}, async () => text("settled"), { searchHint: "invoice billing" }),
    ],
  })
  const told = await world.run("go", { mcpServers: { own }, allowedTools: ["mcp__own"] })
  expect(listed(world)).toEqual(["mcp__own__look"])
  expect(JSON.stringify(world.requests()[2]?.body)).toContain("settled")
  expect(resultOf(told).result).toBe("Done.")
})

test("SDK 0.3: all tools of a server are always loaded, or never, however few", async () => {
  await using world = await openWorld("0.3", { scenario: ["Done."] })
  const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
  const args = [join(modules, "server-everything/dist/index.js"), "stdio"]
  await world.run("go", {
    mcpServers: {
      all: createSdkMcpServer({ name: "all", tools: many, alwaysLoad: true }),
      never: { command: "node", args, alwaysLoad: false },
    },
  })
  expect(listed(world).map((name) => name.split("__")[1])).toEqual(many.map(() => "all"))
  expect(JSON.stringify(world.requests()[0]?.body)).toContain("mcp__never__echo")
})

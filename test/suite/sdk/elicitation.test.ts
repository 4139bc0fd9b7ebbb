/** A server asks for input: the client fills in the form, declines, cancels, or cannot be asked. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import type { ElicitationRequest, ElicitationResult } from "claude-agent-sdk-0.3"
import { calls, use } from "../../kit/script.ts"
import { openWorld, resultOf, type Version, withBoth } from "./drive.ts"
import { answer, initialize, isAsked, isResult, openWire, user } from "./wire.ts"

const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
const everything = { command: "node", args: [join(modules, "server-everything/dist/index.js"), "stdio"] }
const tool = "mcp__all__trigger-elicitation-request"
const scenario = [calls(use(tool, {})), "Done."]
/** Starts in a fraction of the time, and writes down what it was answered. */
const asking = (notes: string) => ({
  command: process.execPath,
  args: [join(import.meta.dir, "../../kit/mcp/asking-server.ts"), notes],
})
const greet = "mcp__all__greet"
const greets = [calls(use(greet, {})), "Done."]

/** What the server that asks was answered. */
async function answered(
  version: Version,
  onElicitation?: (request: ElicitationRequest) => Promise<ElicitationResult>,
): Promise<string> {
  await using world = await openWorld(version, { scenario: greets, env: { ENABLE_TOOL_SEARCH: "false" } })
  const end = await world.run("ask me", {
    mcpServers: { all: asking(join(world.place.path, "notes")) },
    allowedTools: [greet],
    ...(onElicitation && { onElicitation }),
  })
  expect(resultOf(end).result).toBe("Done.")
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("Hello nobody.")
  return await world.place.read("../notes")
}

/** What the model was told by the tool of the official server that asks. */
async function told(
  version: Version,
  onElicitation: (request: ElicitationRequest) => Promise<ElicitationResult>,
): Promise<string> {
  await using world = await openWorld(version, { scenario, env: { ENABLE_TOOL_SEARCH: "false" } })
  const end = await world.run("ask me", {
    mcpServers: { all: everything },
    allowedTools: [tool],
    onElicitation,
  })
  expect(resultOf(end).result).toBe("Done.")
  return JSON.stringify(world.requests()[1]?.body)
}

withBoth("a form is filled in, without a client that answers permission questions", async (version) => {
  const asked: ElicitationRequest[] = []
  const text = await told(version, (request) => {
    asked.push(request)
    return Promise.resolve({ action: "accept", content: { name: "Ada", check: true } })
  })
  expect(asked).toMatchObject([
    { serverName: "all", mode: "form", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
  ])
  expect(text).toContain("Ada")
})

withBoth("a form is declined, and cancelled", async (version) => {
  expect(await answered(version, () => Promise.resolve({ action: "decline" }))).toBe("greet decline\n")
  expect(await answered(version, () => Promise.resolve({ action: "cancel" }))).toBe("greet cancel\n")
})

withBoth("a client without a way to answer declines; one that throws has told nothing", async (version) => {
  expect(await answered(version)).toMatch(/decline|cancel/)
  expect(await answered(version, () => Promise.reject(new Error("no form here")))).toMatch(/decline|cancel/)
})

test("content that does not fit the form is not passed on, nor is nonsense", async () => {
  for (const said of [{ action: "accept", content: { name: 5 } }, { action: "perhaps" }, {}]) {
    await using world = await openWorld("0.3", { scenario: greets })
    const wire = openWire(world, [
      "--mcp-config",
      JSON.stringify({ mcpServers: { all: asking(join(world.place.path, "notes")) } }),
      "--allowedTools",
      greet,
    ])
    wire.send(initialize(), user("ask me"))
    const asked = await wire.next(isAsked("elicitation"))
    expect(asked).toMatchObject({ request: { property_order: expect.arrayContaining(["name"]) } })
    wire.send(answer(String(asked.request_id), said))
    await wire.next(isResult)
    expect((await wire.end()).code).toBe(0)
    expect(await world.place.read("../notes")).toBe("greet cancel\n")
  }
})

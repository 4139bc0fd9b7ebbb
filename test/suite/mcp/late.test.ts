/** A real server that connects after the first request: announced, searched for, loaded and called, and the prefix holds. */

import { expect, test } from "bun:test"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { everything, servers } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

test("the everything server comes late, and its tool is loaded and called", async () => {
  await using t = await openTestSession({
    script: (request) => {
      const last = JSON.stringify(request.messages.at(-1))
      const all = JSON.stringify(request.messages)
      if (last.includes("Echo: late")) return says("Done.")
      if (last.includes("tool_reference")) return calls(use("mcp__everything__echo", { message: "late" }))
      if (all.includes("MCP server everything is connected")) return calls(use("ToolSearch", { query: "select:echo" }))
      return calls(bash(`sleep 0.1; echo ${request.messages.length}`))
    },
    mcp: servers([everything()]),
    patience: "none",
    allow: ["Bash", "mcp__everything"],
  })
  expect((await t.prompt("go")).reason).toBe("completed")
  expect(t.results().findLast(({ tool }) => tool === "mcp__everything__echo")?.content).toBe("Echo: late")
  const bodies = t.simulator.requests.flatMap(({ body }) => (isObject(body) ? [body] : []))
  const beginnings = bodies.map(({ tools, system }) =>
    JSON.stringify([listOf(tools).filter((tool) => tool.defer_loading !== true), system]),
  )
  expect(new Set(beginnings).size).toBe(1)
  expect(listOf(bodies[0]?.tools).some(({ name }) => String(name).startsWith("mcp__"))).toBe(false)
  expect(listOf(bodies.at(-1)?.tools).some(({ name }) => name === "mcp__everything__echo")).toBe(true)
  expect(t.simulator.stats()).toMatchObject({ refusals: 0, cacheBreaks: [] })
})

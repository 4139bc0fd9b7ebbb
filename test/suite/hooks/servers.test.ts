/** Tools of MCP servers go through the same hooks as any other. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says as replies, use } from "../../kit/script.ts"
import { hookRuns, inputs, keepsInput, on } from "./hooks.ts"

setDefaultTimeout(300_000)

test("a hook is told of a server's tool before and after, and can refuse it", async () => {
  const say = (text: string) => calls(use("mcp__wayward__say", { text }))
  await using t = await openTestSession({
    script: [say("hello"), say("forbidden"), replies("ok")],
    allow: ["mcp__wayward__say"],
    mcp: servers([wayward("wayward")]),
    hooks: {
      PreToolUse: [on("if grep -q forbidden; then echo no >&2; exit 2; fi", {}, "mcp__wayward__.*")],
      PostToolUse: [on(keepsInput("after"), {}, "mcp__wayward__say")],
    },
  })
  await t.prompt("go")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true])
  expect(inputs(t, "after")).toMatchObject([{ tool_name: "mcp__wayward__say", tool_input: { text: "hello" } }])
  expect(hookRuns(t).map(({ event, decision }) => [event, decision])).toEqual([
    ["PreToolUse", undefined],
    ["PostToolUse", undefined],
    ["PreToolUse", "deny"],
  ])
})

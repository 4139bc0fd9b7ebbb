/** Where a gateway refuses tools that are loaded later: what is there is listed whole, what comes later is called through another. */

import { expect, test } from "bun:test"
import { asks, bodies, mcpNames, resultOf, search, told, toolNames } from "../../kit/late-requests.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { waywardFile } from "../../kit/mcp/servers.ts"

/** Far more than a tenth of the window. */
const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`tool_${at}`, `${at} `.repeat(1_000)]))

test("nothing is deferred: however large, what is there before the first request is listed plainly", async () => {
  const server = lateServer()
  server.offer(many)
  await using t = await openTestSession({
    script: [calls(asks("tool_7", "hello")), says("Done.")],
    kits: [server.kit],
    deferral: "never",
  })
  await t.prompt("go")
  expect(resultOf(t, "mcp__box__tool_7")?.content).toBe("tool_7 says hello")
  for (const body of bodies(t)) {
    expect([mcpNames(body, "listed").length, mcpNames(body, "deferred").length]).toEqual([60, 0])
    expect(JSON.stringify(body)).not.toContain("defer_loading")
  }
  expect(told(t)).toEqual([])
})

test("what comes later is told of in words and called through CallTool, and the list stays as it was", async () => {
  const server = lateServer()
  let step = 0
  await using t = await openTestSession({
    script: () => {
      step++
      if (step === 1) server.offer({ echo: "Echoes." })
      return (
        [
          calls(bash("true")),
          calls(search("select:echo")),
          calls(use("CallTool", { name: "mcp__box__echo", input: { word: "late" } })),
        ][step - 1] ?? says("Done.")
      )
    },
    kits: [server.kit],
    deferral: "never",
  })
  expect((await t.prompt("go")).reason).toBe("completed")
  expect(server.calls).toEqual(["echo late"])
  expect(told(t)[0]).toContain("call them with CallTool")
  expect(resultOf(t, "ToolSearch")?.content).toContain("Call them with CallTool.")
  const sent = bodies(t)
  expect(sent).toHaveLength(4)
  for (const body of sent) {
    expect(toolNames(body, "listed")).toEqual(toolNames(sent[0], "listed"))
    expect(JSON.stringify(body)).not.toMatch(/defer_loading|tool_reference/)
  }
})

test("a conversation that was begun with deferred tools goes on without them", async () => {
  const server = lateServer()
  server.offer(many)
  const script = [calls(search("select:tool_3")), says("Loaded."), calls(asks("tool_3", "again")), says("Done.")]
  await using before = await openTestSession({ script, kits: [server.kit] })
  await before.prompt("go")
  expect(JSON.stringify(bodies(before).at(-1))).toContain("tool_reference")
  await using after = await before.reopen({ deferral: "never" })
  expect((await after.prompt("go on")).reason).toBe("completed")
  expect(server.calls).toEqual(["tool_3 again"])
  const last = JSON.stringify(bodies(after).at(-1))
  expect(last).not.toMatch(/defer_loading|"tool_reference"/)
  // What was loaded by a reference stands there in words.
  expect(last).toContain("mcp__box__tool_3")
})

for (const name of ["CODEWRIGHT_TOOL_SEARCH", "ENABLE_TOOL_SEARCH"])
  test(`${name}=false reaches both the list and the provider`, async () => {
    using place = openPlace()
    const config = { mcpServers: { way: { command: process.execPath, args: [waywardFile, "many=60"] } } }
    const { code, requests } = await runCodewright({
      place,
      argv: ["-p", "go", "--mcp-config", JSON.stringify(config)],
      env: { [name]: "false" },
      scenario: ["Hello."],
    })
    expect(code).toBe(0)
    const sent = JSON.stringify(requests[0]?.body)
    expect(sent).not.toContain("defer_loading")
    expect(sent).toContain("mcp__way__tool_59")
  })

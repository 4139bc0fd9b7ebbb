/** Codewright started for the first time, and in folders it has not seen, in a real terminal. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { waywardFile } from "../../kit/mcp/servers.ts"
import { openOwnAnthropic } from "../../kit/anthropic/own-anthropic.ts"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const settingsOf = (place: Place): string => readFileSync(join(place.state, "settings.json"), "utf8")

/** Whatever runs on this machine. */
const nobodyElse = { OLLAMA_HOST: "127.0.0.1:9" }

const hooks = '{ "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "touch ran" }] }] } }'

test("colours, who answers and trust are asked once, then the conversation begins", async () => {
  using place = openPlace({ ".codewright/settings.json": hooks })
  {
    await using run = await openScreenRun({ place, argv: [], first: "run", scenario: ["Hello."] })
    await run.asks("Choose a theme")
    run.type("2")
    await run.asks("Choose a model")
    run.type("1")
    await run.asks("Do you trust")
    await run.shows("hook SessionStart: touch ran")
    run.type("1")
    await run.shows("> Ask anything · @ for files · / for commands")
    run.type("hi\r")
    await run.shows("Hello.")
    run.type("\u0004")
    expect(await run.exited).toBe(0)
  }
  expect(JSON.parse(settingsOf(place))).toEqual({ theme: "light" })
  expect(JSON.parse(readFileSync(join(place.state, "trust.json"), "utf8")).folders).toHaveProperty([place.work])
  await using again = await openScreenRun({ place, argv: [], first: "run", scenario: ["Hello."] })
  const all = await again.shows("> Ask anything · @ for files · / for commands")
  expect(all).not.toContain("Choose a theme")
  expect(all).not.toContain("Do you trust")
})

test("a pasted key is tested, kept where only the person can read it, and used", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic(["sk-test-0123456789"], ["Hello."])
  await using run = await openScreenRun({ place, argv: [], first: "run", env: { ...anthropic.env, ...nobodyElse } })
  await run.asks("Choose a theme")
  run.type("1")
  await run.asks("Choose a model")
  run.type("1")
  await run.asks("Add an API key")
  run.type("\r")
  await run.asks("Paste an API key for Anthropic")
  run.type("\u001b[200~sk-wrong-9876543210\u001b[201~")
  run.type("\r")
  await run.asks("Anthropic rejected this key (401).")
  expect(existsSync(join(place.state, "key.json"))).toBe(false)
  run.type("\u0015\u001b[200~sk-test-0123456789\u001b[201~")
  run.type("\r")
  // A key means the provider, so the simulator is not what it speaks of. There is nothing to trust, and no question.
  await run.shows(/with claude-/)
  expect(anthropic.seen).toEqual(["/v1/models sk-wrong-9876543210", "/v1/models sk-test-0123456789"])
  const file = join(place.state, "key.json")
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ version: 1, apiKey: "sk-test-0123456789" })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(run.terminal.raw()).not.toContain("sk-test-0123456789")
  expect(run.terminal.raw()).not.toContain("built-in simulator, which follows fixed rules")
  expect(settingsOf(place)).not.toContain("sk-test")
})

test("while nothing says which model is meant it is asked again, and the answer is kept", async () => {
  using place = openPlace()
  place.write("../state/settings.json", "{}")
  const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, ...nobodyElse }
  await using run = await openScreenRun({ place, argv: ["--trust"], first: "run", env })
  await run.asks("Choose a model")
  run.type("3")
  await run.shows(/with sim/)
  expect(JSON.parse(settingsOf(place))).toEqual({ model: "sim" })
})

test("who does not trust a folder goes on without what it would run, or quits", async () => {
  using place = openPlace({ ".codewright/settings.json": hooks })
  place.write("../state/settings.json", "{}")
  {
    await using run = await openScreenRun({ place, argv: [], first: "run" })
    await run.asks("Do you trust")
    run.type("2")
    await run.shows("> Ask anything · @ for files · / for commands")
    await run.shows("This folder is not trusted")
  }
  await using run = await openScreenRun({ place, argv: [], first: "run" })
  await run.asks("Do you trust")
  run.type("\u001b")
  expect(await run.exited).toBe(0)
  expect(await run.terminal.all()).not.toContain("Ask anything · @ for files · / for commands")
  expect(existsSync(join(place.work, "ran"))).toBe(false)
  // The terminal is as it was: keys are echoed, the cursor is there.
  expect(run.terminal.raw()).toContain("\u001b[?25h")
})

test("what a trusted folder would run is asked about again when it changes", async () => {
  using place = openPlace({ ".codewright/settings.json": hooks })
  place.write("../state/settings.json", "{}")
  {
    await using run = await openScreenRun({ place, argv: [], first: "run" })
    await run.asks("Do you trust")
    run.type("1")
    await run.shows("> Ask anything · @ for files · / for commands")
  }
  place.write(".codewright/settings.json", hooks.replace("touch ran", "touch other"))
  await using run = await openScreenRun({ place, argv: [], first: "run" })
  await run.asks("These entries are new or changed")
  await run.shows("changed hook SessionStart: touch other")
  run.type("1")
  await run.shows("> Ask anything · @ for files · / for commands")
})

for (const before of ["new", "trusted before, and changed since"])
  test(`in a folder that is ${before}, going on without its configuration starts no server and asks about none`, async () => {
    const servers = (notes: string): string =>
      JSON.stringify({ mcpServers: { way: { command: process.execPath, args: [waywardFile, `notes=${notes}`] } } })
    using place = openPlace({ ".mcp.json": servers("first") })
    place.write("../state/settings.json", "{}")
    if (before !== "new") await runCodewright({ place, argv: ["trust"] })
    place.write(".mcp.json", servers("second"))
    await using run = await openScreenRun({ place, argv: [], first: "run", scenario: ["Hello.", "Hello again."] })
    await run.asks("Do you trust")
    run.type("2")
    await run.shows("> Ask anything · @ for files · / for commands")
    run.type("hi\r")
    await run.shows("Hello.")
    run.type("more\r")
    const all = await run.shows("Hello again.")
    expect(all).not.toContain("wants to start the MCP server")
    expect([existsSync(join(place.work, "first")), existsSync(join(place.work, "second"))]).toEqual([false, false])
  })

test("a signal while it asks gives the terminal back", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], first: "run" })
  await run.asks("Choose a theme")
  run.kill("SIGTERM")
  expect(await run.exited).toBe(143)
  expect(run.terminal.raw()).toEndWith("\u001b[?25h")
})

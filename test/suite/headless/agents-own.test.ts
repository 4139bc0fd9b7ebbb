/** What an agent brings along: servers and hooks that are there for it alone, and for no longer than it works. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { waywardFile } from "../../kit/mcp/servers.ts"
import { openPlace, type Place, type Run, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn, toolsIn } from "../../kit/sent.ts"

const task = (subagent_type = "helper") => ({
  content: [{ tool: "Task", input: { description: "a look", prompt: "look", subagent_type } }],
})
const bash = (command: string) => ({ content: [{ tool: "Bash", input: { command } }] })
const say = (server: string) => ({ content: [{ tool: `mcp__${server}__say`, input: { text: "hi" } }] })
const allowed = ["-p", "go", "--allowed-tools", "Bash,mcp__own,mcp__shared"]

/** Leaves a mark when it ends. */
const server = (place: Place, end = "ended") => ({
  command: "sh",
  args: ["-c", `'${process.execPath}' '${waywardFile}'; touch '${join(place.path, end)}'`],
})
const servers = (place: Place, ...more: readonly string[]): string =>
  `mcpServers: ${JSON.stringify([...more, { own: server(place) }])}\n`
const hook = (event: string, command: string, matcher = ""): string =>
  `hooks: ${JSON.stringify({ [event]: [{ matcher, hooks: [{ type: "command", command }] }] })}\n`
const file = (more: string): string => `---\nname: helper\ndescription: Helps.\n${more}---\nYou help.\n`
const serverTools = (run: Run, at: number): readonly string[] =>
  toolsIn(run.requests[at]).filter((name) => name.startsWith("mcp__"))

test.concurrent("a server of its own is there from its first request on, for it alone, and ends with it", async () => {
  using place = openPlace()
  place.write(join(place.state, "agents/helper.md"), file(`tools: Bash\n${servers(place)}`))
  const run = await runCodewright({
    place,
    argv: allowed,
    scenario: [task(), say("own"), "Said.", bash(`ls ${place.path}`), "Done."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
  expect([0, 1, 3].map((at) => serverTools(run, at))).toEqual([
    [],
    ["mcp__own__look", "mcp__own__say", "mcp__own__wreck"],
    [],
  ])
  expect(resultIn(run.requests[2])).toContain(`say: {"text":"hi"}`)
  expect(resultIn(run.requests[4])).toContain("ended")
})

test.concurrent(
  "a configured server that it names is used besides its tools; one that does not exist is named",
  async () => {
    using place = openPlace()
    place.write(join(place.state, "mcp.json"), JSON.stringify({ mcpServers: { shared: server(place) } }))
    place.write(join(place.state, "agents/helper.md"), file("tools: Read\nmcpServers: [shared, missing]\n"))
    place.write(
      join(place.state, "agents/some.md"),
      file("tools: mcp__shared__look\nmcpServers: shared\n").replace("helper", "some"),
    )
    const run = await runCodewright({
      place,
      argv: allowed,
      scenario: [task(), say("shared"), "Said.", task("some"), "ok", "Done."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(toolsIn(run.requests[1])).toEqual(["Read", "mcp__shared__look", "mcp__shared__say", "mcp__shared__wreck"])
    expect(resultIn(run.requests[2])).toContain(`say: {"text":"hi"}`)
    expect(toolsIn(run.requests[4])).toEqual(["mcp__shared__look"])
    expect(run.stderr).toContain("helper.md: there is no MCP server missing; the agent works without it.")
  },
)

test.concurrent("a configured server is not replaced, nor one that is turned off turned on", async () => {
  using place = openPlace()
  place.write(join(place.state, "mcp.json"), JSON.stringify({ mcpServers: { own: server(place, "theirs") } }))
  place.write(join(place.state, "agents/helper.md"), file(servers(place)))
  const run = await runCodewright({ place, argv: allowed, scenario: [task(), say("own"), "Said.", "Done."] })
  expect(run.stderr).toContain("helper.md: the MCP server own is configured already, and that one is used.")
  expect(resultIn(run.requests[2])).toContain(`say: {"text":"hi"}`)
  expect([existsSync(join(place.path, "theirs")), existsSync(join(place.path, "ended"))]).toEqual([true, false])
  const off = openPlace({ ".claude/agents/helper.md": file(servers(place)) })
  off.write(join(off.state, "settings.json"), JSON.stringify({ disabledMcpjsonServers: ["own"] }))
  const none = await runCodewright({
    place: off,
    argv: [...allowed, "--trust"],
    scenario: [task(), "Nothing.", "Done."],
  })
  expect([none.stdout, serverTools(none, 1)]).toEqual(["Done.\n", []])
  off[Symbol.dispose]()
})

test.concurrent("--strict-mcp-config leaves out the servers of files, and not those of --agents", async () => {
  using place = openPlace()
  place.write(join(place.state, "agents/helper.md"), file(servers(place)))
  const argv = [...allowed, "--strict-mcp-config"]
  const strict = await runCodewright({ place, argv, scenario: [task(), "Nothing.", "Done."] })
  expect(serverTools(strict, 1)).toEqual([])
  const agents = { helper: { description: "Helps.", prompt: "You help.", mcpServers: [{ own: server(place) }] } }
  const run = await runCodewright({
    place,
    argv: [...argv, "--agents", JSON.stringify(agents)],
    scenario: [task(), "Something.", "Done."],
  })
  expect(serverTools(run, 1)).toHaveLength(3)
})

test.concurrent("a server that does not start is said, and the agent works without it", async () => {
  using place = openPlace()
  const gone = { own: { command: "no-such-program" }, wrong: { url: "ftp://x" } }
  place.write(join(place.state, "agents/helper.md"), file(`mcpServers: ${JSON.stringify(gone)}\n`))
  const run = await runCodewright({ place, argv: allowed, scenario: [task(), "Without.", "Done."] })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(run.stderr).toContain("The helper agent: The MCP server own ")
  expect(run.stderr).toContain("helper.md: the MCP server wrong is left out. Its url must be an http or https address")
})

test.concurrent("hooks of its own see its calls alone, and Stop is its own end", async () => {
  using place = openPlace()
  const kept = join(place.path, "stopped.json")
  const hooks = {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo not here >&2; exit 2" }] }],
    Stop: [{ matcher: "whatever", hooks: [{ type: "command", command: `cat > '${kept}'` }] }],
  }
  place.write(join(place.state, "agents/helper.md"), file(`hooks: ${JSON.stringify(hooks)}\n`))
  const run = await runCodewright({
    place,
    argv: allowed,
    scenario: [
      task(),
      bash("touch inside"),
      "Refused.",
      task("general-purpose"),
      bash("touch other"),
      "ok",
      bash("touch main"),
      "Done.",
    ],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(resultIn(run.requests[2])).toContain("not here")
  expect(["inside", "other", "main"].map((name) => existsSync(join(place.work, name)))).toEqual([false, true, true])
  expect(JSON.parse(await place.read(kept))).toMatchObject({
    hook_event_name: "SubagentStop",
    agent_type: "helper",
    last_assistant_message: "Refused.",
  })
})

test.concurrent("--agents and --agent: the same for a run, and for a session that plays the agent", async () => {
  using place = openPlace()
  const kept = join(place.path, "stopped.json")
  const agents = {
    helper: {
      description: "Helps.",
      prompt: "You help.",
      tools: ["Bash"],
      mcpServers: [{ own: server(place) }],
      hooks: { Stop: [{ hooks: [{ type: "command", command: `cat > '${kept}'` }] }] },
    },
  }
  const argv = [...allowed, "--agents", JSON.stringify(agents)]
  const played = await runCodewright({ place, argv: [...argv, "--agent", "helper"], scenario: [say("own"), "Played."] })
  expect(played).toMatchObject({ code: 0, stdout: "Played.\n" })
  expect(toolsIn(played.requests[0])).toEqual(["Bash", "mcp__own__look", "mcp__own__say", "mcp__own__wreck"])
  expect(JSON.parse(await place.read(kept))).toMatchObject({ hook_event_name: "Stop" })
  const run = await runCodewright({ place, argv, scenario: [task(), say("own"), "Said.", "Done."] })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(JSON.parse(await place.read(kept))).toMatchObject({ hook_event_name: "SubagentStop" })
})

test.concurrent("hooks that cannot be read leave the agent out; those of other moments are named", async () => {
  for (const [more, why] of [
    [
      hook("PreToolUse", " "),
      "this agent is left out: hooks.PreToolUse[0].hooks[0] has the type command and no command. Fix it, or remove it.",
    ],
    [hook("PreTolUse", "x"), "hooks.PreTolUse is not a hook event; did you mean PreToolUse?"],
    [hook("PreToolUse", "x", "("), "hooks.PreToolUse[0] has a matcher that is no regular expression"],
    ["hooks: {PreToolUse: [{matcher: Bash, hook: x}]}\n", "hooks.PreToolUse[0] must have a list of hooks"],
  ] as const) {
    using place = openPlace()
    place.write(join(place.state, "agents/helper.md"), file(more))
    const run = await runCodewright({ place, argv: allowed, scenario: [task(), "Done."] })
    expect(run.stderr).toContain(why)
    expect(resultIn(run.requests[1])).toContain("There is no agent helper.")
  }
  using place = openPlace()
  place.write(join(place.state, "agents/helper.md"), file(hook("SessionStart", "touch never")))
  const run = await runCodewright({ place, argv: allowed, scenario: [task(), "ok", "Done."] })
  expect(run.stderr).toContain("helper.md: hooks.SessionStart runs only in a session that plays this agent.")
  expect(existsSync(join(place.work, "never"))).toBe(false)
  const json = JSON.stringify({ helper: { description: "d", prompt: "p", hooks: { PreToolUse: [{ hooks: [{}] }] } } })
  const wrong = await runCodewright({ argv: ["-p", "go", "--agents", json], scenario: ["never"] })
  expect([wrong.code === 0, wrong.requests]).toEqual([false, []])
  expect(wrong.stderr).toContain("--agents helper: hooks.PreToolUse[0].hooks[0] has the type null")
})

test.concurrent("disableAllHooks turns them off, a project's only for the project's agents", async () => {
  for (const [agent, settings, runs] of [
    ["../state/agents/helper.md", "../state/settings.json", false],
    ["../state/agents/helper.md", ".claude/settings.json", true],
    [".claude/agents/helper.md", ".claude/settings.json", false],
  ] as const) {
    using place = openPlace({
      [agent]: file(hook("PreToolUse", `touch ran`)),
      [settings]: JSON.stringify({ disableAllHooks: true }),
    })
    await runCodewright({ place, argv: [...allowed, "--trust"], scenario: [task(), bash("ls"), "ok", "Done."] })
    expect([agent, settings, existsSync(join(place.work, "ran"))]).toEqual([agent, settings, runs])
  }
})

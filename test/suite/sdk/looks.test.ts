/** What a client may look up about its session: context, rules, hooks, settings, files, usage. */

import { expect, test } from "bun:test"
import { isObject, type JsonObject } from "#lib/json.ts"
import { calls, write } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"
import { initialize, isAnswerTo, isResult, openWire, request, user, type Wire } from "./wire.ts"

const isEnd = ({ type }: Message): boolean => type === "result"

/** Asks for something that no published client has a method for. */
async function ask(wire: Wire, subtype: string, more: object = {}): Promise<JsonObject> {
  const id = crypto.randomUUID()
  wire.send(request(id, { subtype, ...more }))
  const { response } = await wire.next(isAnswerTo(id))
  if (!isObject(response)) throw new Error("There is no response.")
  return response
}

withBoth("what fills the context, tool by tool and file by file", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello."], files: { "CLAUDE.md": "Be brief.\n" } })
  const chat = openChat(world, { settings: JSON.stringify({ autoCompactEnabled: false }) })
  chat.stream.say("hi")
  await chat.next(isEnd)
  const usage = await chat.query.getContextUsage()
  expect(usage).toMatchObject({
    model: "claude-opus-5-5",
    maxTokens: 200_000,
    rawMaxTokens: 200_000,
    isAutoCompactEnabled: false,
    memoryFiles: [{ path: `${world.place.work}/CLAUDE.md`, type: "memory", tokens: expect.any(Number) }],
    apiUsage: null,
  })
  expect(usage.systemTools?.find(({ name }) => name === "Bash")?.tokens).toBeGreaterThan(100)
  expect(usage.agents).toContainEqual({ agentType: "Explore", source: "built-in", tokens: expect.any(Number) })
  const used = usage.categories.filter(({ kind }) => kind === "used").reduce((all, { tokens }) => all + tokens, 0)
  expect(usage.totalTokens).toBe(used)
  expect(usage.gridRows).toHaveLength(10)
  expect(usage.gridRows.flat()).toHaveLength(100)
  await chat.end()
})

test("rules and folders are listed with where they come from", async () => {
  await using world = await openWorld("0.3", {
    files: {
      "../state/settings.json": JSON.stringify({ permissions: { ask: ["Bash(git push:*)"] } }),
      ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(./secret)"] } }),
      "../more/a.txt": "a\n",
      "inner/b.txt": "b\n",
    },
  })
  const wire = openWire(world, ["--allowedTools", "Bash(ls:*)", "--add-dir", `${world.place.path}/more`])
  wire.send(initialize())
  await ask(wire, "apply_flag_settings", { settings: { permissions: { allow: ["Write"] } } })
  expect(await ask(wire, "register_repo_root", { directory: "inner" })).toMatchObject({ subtype: "success" })
  expect(await ask(wire, "list_permission_rules")).toMatchObject({
    response: {
      state: {
        rules: expect.arrayContaining([
          { behavior: "allow", source: "cliArg", rule: "Bash(ls:*)", editability: "session" },
          { behavior: "deny", source: "projectSettings", rule: "Read(./secret)", editability: "persistent" },
          { behavior: "ask", source: "userSettings", rule: "Bash(git push:*)", editability: "persistent" },
          { behavior: "allow", source: "session", rule: "Write", editability: "session" },
        ]),
        workspaceDirectories: [
          { path: `${world.place.path}/more`, source: "cliArg" },
          { path: `${world.place.work}/inner`, source: "session" },
        ],
        originalCwd: world.place.work,
        managedOnly: false,
      },
    },
  })
  for (const directory of ["inner", ".", "../home", "missing"])
    expect(await ask(wire, "register_repo_root", { directory })).toMatchObject({ subtype: "error" })
  await wire.end()
})

test("a registered project brings its memory and skills", async () => {
  await using world = await openWorld("0.3", {
    scenario: ["One.", "Two."],
    files: {
      "inner/CLAUDE.md": "Speak in rhymes.\n",
      "inner/.claude/skills/rhyme/SKILL.md": "---\nname: rhyme\ndescription: Finds rhymes\n---\nFind one.\n",
    },
  })
  const wire = openWire(world)
  wire.send(initialize(), user("first"))
  await wire.next(isResult)
  await ask(wire, "register_repo_root", { directory: "inner", reload_claude_md: true, reload_skills: true })
  expect(await ask(wire, "reload_skills")).toMatchObject({
    response: { skills: expect.arrayContaining([{ name: "rhyme", description: "Finds rhymes", argumentHint: "" }]) },
  })
  wire.send(user("second"))
  await wire.next(isResult)
  await wire.end()
  const [first, second] = world.requests().map(({ body }) => JSON.stringify(body))
  expect(first).not.toContain("Speak in rhymes.")
  expect(second).toContain("Speak in rhymes.")
})

test("hooks are listed by event, with what they run and whose they are", async () => {
  const hook = { type: "command", command: "true", timeout: 5, statusMessage: "Looking", async: true }
  await using world = await openWorld("0.3", {
    files: {
      "../state/settings.json": JSON.stringify({ hooks: { PostToolUse: [{ matcher: "Write|Edit", hooks: [hook] }] } }),
    },
  })
  const wire = openWire(world)
  wire.send(initialize({ hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_0"] }] } }))
  const { response } = await ask(wire, "get_hooks_listing")
  expect(response).toMatchObject({
    events: [
      { name: "PreToolUse", summary: "Before a tool runs", supportsMatcher: true, hookCount: 1 },
      { name: "PostToolUse", hookCount: 1 },
    ],
    hooks: [
      { event: "PreToolUse", matcher: "Bash", source: "sessionHook", type: "callback", commandText: "hook_0" },
      {
        event: "PostToolUse",
        matcher: "Write|Edit",
        source: "userSettings",
        sourceLabel: `${world.place.state}/settings.json`,
        type: "command",
        displayText: "Looking",
        commandText: "true",
        contentLabel: "Command",
        timeout: 5,
        statusMessage: "Looking",
        runsInBackground: true,
      },
    ],
    policy: { disabledByPolicy: false, managedOnly: false, pluginOnly: false, allDisabled: false, policyHookCount: 0 },
  })
  const { eventCatalog = null } = isObject(response) ? response : {}
  expect(JSON.stringify(eventCatalog)).toContain("SessionEnd")
  await wire.end()
})

test("settings are told as a whole and by source, with what the client applied", async () => {
  await using world = await openWorld("0.3", {
    files: {
      "../state/settings.json": JSON.stringify({ outputStyle: "default", env: { A: "1" } }),
      ".claude/settings.json": JSON.stringify({ permissions: { deny: ["WebSearch"] } }),
    },
  })
  const wire = openWire(world, ["--settings", JSON.stringify({ model: "claude-haiku-5" })])
  wire.send(initialize())
  const before = await ask(wire, "get_settings")
  expect(before.response).toMatchObject({
    effective: {
      model: "claude-haiku-5",
      permissions: { deny: expect.arrayContaining(["WebSearch"]) },
      env: { A: "1" },
    },
    sources: [
      { source: "userSettings", settings: { outputStyle: "default", env: { A: "1" } } },
      { source: "projectSettings", settings: { permissions: { deny: ["WebSearch"] } } },
      { source: "flagSettings", settings: { model: "claude-haiku-5" } },
    ],
    applied: { model: "claude-haiku-5", effort: null },
  })
  const settings = { model: "claude-opus-5", effortLevel: "high" }
  expect(await ask(wire, "apply_flag_settings", { settings })).toMatchObject({ subtype: "success" })
  expect((await ask(wire, "get_settings")).response).toMatchObject({
    effective: { model: "claude-opus-5", effortLevel: "high" },
    sources: expect.arrayContaining([{ source: "flagSettings", settings: expect.objectContaining(settings) }]),
    applied: { model: "claude-opus-5", effort: "high" },
  })
  expect(await ask(wire, "apply_flag_settings", { settings: { permissions: { deny: "all" } } })).toMatchObject({
    subtype: "error",
    error: expect.stringContaining("permissions.deny"),
  })
  await wire.end()
})

test("a client may write the output style and the effort into files, and nothing else", async () => {
  await using world = await openWorld("0.3")
  const wire = openWire(world)
  wire.send(initialize())
  const update = (source: string, settings: object) => ask(wire, "update_settings", { source, settings })
  expect(await update("localSettings", { outputStyle: "Explanatory" })).toMatchObject({ subtype: "success" })
  expect(await update("userSettings", { effortLevel: "low" })).toMatchObject({ subtype: "success" })
  expect(JSON.parse(await world.place.read(".codewright/settings.local.json"))).toEqual({ outputStyle: "Explanatory" })
  expect(JSON.parse(await world.place.read(`${world.place.state}/settings.json`))).toEqual({ effortLevel: "low" })
  for (const [source, settings] of [
    ["localSettings", { permissions: { allow: ["Bash"] } }],
    ["userSettings", { outputStyle: "Explanatory" }],
    ["localSettings", { outputStyle: null }],
    ["projectSettings", { outputStyle: "Explanatory" }],
  ] as const)
    expect(await update(source, settings)).toMatchObject({ subtype: "error" })
  await wire.end()

  const narrow = openWire(world, ["--setting-sources", "project"])
  narrow.send(initialize())
  const refused = await ask(narrow, "update_settings", { source: "userSettings", settings: { effortLevel: "high" } })
  expect(refused).toMatchObject({ subtype: "error" })
  await narrow.end()
})

test("files by a few letters, colours, versions, and who watches", async () => {
  await using world = await openWorld("0.3", { files: { "src/server.ts": "", "src/client.ts": "", "README.md": "" } })
  const wire = openWire(world)
  wire.send(initialize())
  const found = async (query: string) => (await ask(wire, "file_suggestions", { query })).response
  expect(await found("server")).toEqual({ suggestions: [{ path: "src/server.ts" }] })
  expect(await found("")).toMatchObject({
    suggestions: expect.arrayContaining([{ path: "src/" }, { path: "README.md" }]),
  })
  world.place.write("late.md", "")
  expect(await found("late")).toEqual({ suggestions: [{ path: "late.md" }] })
  expect(await ask(wire, "set_color", { color: "blue" })).toMatchObject({ subtype: "success" })
  expect(await ask(wire, "set_color", { color: "octarine" })).toMatchObject({ subtype: "error" })
  expect(await ask(wire, "set_has_subscribers", { has_subscribers: false })).toMatchObject({ subtype: "success" })
  expect((await ask(wire, "get_binary_version")).response).toMatchObject({ version: expect.stringMatching(/^\d/) })
  await wire.end()
})

test("SDK 0.3: usage, and files read again while the session is open", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "one\ntwo\n")), "Done."] })
  const chat = openChat(world, { allowedTools: ["Write"] })
  chat.stream.say("write")
  await chat.next(isEnd)
  const usage = await chat.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true })
  expect(usage).toMatchObject({
    session: {
      total_lines_added: 2,
      total_lines_removed: 0,
      model_usage: { "claude-opus-5-5": { inputTokens: expect.any(Number), contextWindow: 200_000 } },
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  })
  expect(usage.session.total_cost_usd).toBeGreaterThan(0)
  const names = async () => (await chat.query.reloadSkills()).skills.map(({ name }) => name)
  expect(await names()).not.toContain("later")
  const skill = "---\nname: later\ndescription: Written late\n---\nDo it.\n"
  world.place.write("../state/skills/later/SKILL.md", skill)
  world.place.write("../state/output-styles/curt.md", "---\nname: Curt\ndescription: Short\n---\nBe curt.\n")
  expect(await names()).toContain("later")
  expect((await chat.query.reloadOutputStyles()).available_output_styles).toContain("Curt")
  await chat.query.updateSettings("localSettings", { outputStyle: "Curt" })
  await expect(chat.query.updateSettings("localSettings", { model: "x" })).rejects.toThrow("outputStyle")
  await chat.query.applyFlagSettings({ effortLevel: "max" })
  await expect(chat.query.applyFlagSettings({ permissions: { deny: "x" } } as never)).rejects.toThrow(
    "permissions.deny",
  )
  await chat.end()
})

withBoth("plugins: there are none, and the lists are told all the same", async (version) => {
  await using world = await openWorld(version)
  const chat = openChat(world)
  const reloaded = await chat.query.reloadPlugins()
  expect(reloaded).toMatchObject({ plugins: [], mcpServers: [], error_count: 0 })
  expect(reloaded.commands.map(({ name }) => name)).toContain("compact")
  expect(reloaded.agents.map(({ name }) => name)).toContain("Explore")
  await chat.end()
})

withBoth("a file is read for the client: whole, in part, as bytes; never what a rule hides", async (version) => {
  await using world = await openWorld(version, { files: { "a.txt": "hello\n", secret: "key\n" } })
  const chat = openChat(world, { disallowedTools: ["Read(./secret)"] })
  const absPath = `${world.place.work}/a.txt`
  expect(await chat.query.readFile("a.txt")).toEqual({ contents: "hello\n", absPath, lossy: false } as never)
  expect(await chat.query.readFile("a.txt", { maxBytes: 2, encoding: "base64" })).toEqual({
    contents: "aGU=",
    absPath,
    truncated: true,
    encoding: "base64",
  })
  for (const path of ["secret", "missing.txt", "../state/settings.json", "/etc/passwd"])
    expect(await chat.query.readFile(path)).toBeNull()
  await chat.end()
})

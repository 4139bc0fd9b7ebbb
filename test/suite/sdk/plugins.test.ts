/** Plugins: what is in the folder works under the plugin's name, whoever names the folder. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf, withBoth } from "./drive.ts"
import { initialize, isAnswerTo, isResult, openWire, request, user } from "./wire.ts"

const isResultMessage = ({ type }: Message): boolean => type === "result"
const server = join(import.meta.dir, "../../kit/mcp/asking-server.ts")
const root = "${CLAUDE_PLUGIN_ROOT}"

/** A plugin with one of everything, beside the project. */
function placeWithPlugin(): Place {
  const place = openPlace()
  const write = (path: string, text: string): void => void place.write(`../plugins/helper/${path}`, text)
  write(".claude-plugin/plugin.json", JSON.stringify({ name: "helper", version: "1.2.0", commands: "./more" }))
  write("commands/greet.md", `---\ndescription: Greets\n---\nSay hello to $ARGUMENTS from ${root}.`)
  write("more/deep/part.md", "---\ndescription: Parts\n---\nSay goodbye.")
  write("skills/knots/SKILL.md", "---\nname: knots\ndescription: How to tie knots\n---\nLeft over right.")
  write("agents/sailor.md", `---\nname: sailor\ndescription: Sails\n---\nYou sail from ${root}.`)
  write("output-styles/terse.md", "---\ndescription: Few words\n---\nUse few words.")
  write("hooks/note.sh", 'cat > "$CLAUDE_PLUGIN_DATA/seen"; echo "noted by $CLAUDE_PLUGIN_ROOT"')
  const hook = { type: "command", command: `sh "${root}/hooks/note.sh"` }
  write("hooks/hooks.json", JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }))
  const started = { command: process.execPath, args: ["${CLAUDE_PLUGIN_ROOT}/server.ts"] }
  write(".mcp.json", JSON.stringify({ mcpServers: { desk: started } }))
  write("server.ts", `import ${JSON.stringify(server)}`)
  return place
}

const folder = (place: Place): string => join(place.path, "plugins/helper")
const text = (value: unknown): string => JSON.stringify(value)

withBoth("a plugin brings commands, skills, agents, styles, hooks and servers", async (version) => {
  using place = placeWithPlugin()
  await using world = await openWorld(version, {
    place,
    scenario: [
      calls(use("Skill", { skill: "helper:knots" })),
      calls(use("Task", { description: "sail", prompt: "go", subagent_type: "helper:sailor" })),
      "Ahoy.",
      "Done.",
    ],
    env: { ENABLE_TOOL_SEARCH: "false" },
  })
  const told = await world.run("/helper:greet Ada", {
    plugins: [{ type: "local", path: folder(place) }],
    settings: { outputStyle: "helper:terse" } as never,
    systemPrompt: { type: "preset", preset: "claude_code" },
  })
  expect(resultOf(told).result).toBe("Done.")
  const init = told.messages.find(({ subtype }) => subtype === "init")
  expect(init).toMatchObject({
    plugins: [{ name: "helper", version: "1.2.0", path: folder(place) }],
    output_style: "helper:terse",
    mcp_servers: [{ name: "plugin:helper:desk", status: "connected", source: "plugin" }],
  })
  for (const [field, name] of [
    ["slash_commands", "helper:greet"],
    ["slash_commands", "helper:deep:part"],
    ["skills", "helper:knots"],
    ["agents", "helper:sailor"],
    ["tools", "mcp__plugin_helper_desk__greet"],
  ])
    expect(init?.[field as string]).toContain(name)
  const [first, second, third] = world.requests().map(({ body }) => text(body))
  expect(first).toContain(`Say hello to Ada from ${folder(place)}.`)
  expect(first).toContain(`noted by ${folder(place)}`)
  expect(first).toContain("Use few words.")
  expect(second).toContain("Left over right.")
  expect(third).toContain(`You sail from ${folder(place)}.`)
  expect(await Bun.file(join(place.state, "plugins/data/helper/seen")).json()).toMatchObject({
    prompt: "/helper:greet Ada",
  })
})

test("SDK 0.3: skills are chosen by their short names, and a plugin's servers can be left to the host", async () => {
  using place = placeWithPlugin()
  await using world = await openWorld("0.3", { place, scenario: ["Done."] })
  const told = await world.run("go", {
    plugins: [{ type: "local", path: "../plugins/helper", skipMcpDiscovery: true }],
    skills: ["knots"],
  })
  expect(told.messages.find(({ subtype }) => subtype === "init")).toMatchObject({
    skills: ["helper:knots"],
    mcp_servers: [],
    plugins: [{ name: "helper", path: folder(place) }],
  })
})

test("SDK 0.3: plugins are named in the first message, and their files are read again", async () => {
  using place = placeWithPlugin()
  await using world = await openWorld("0.3", { place, scenario: ["Done."] })
  const chat = openChat(world, { plugins: [{ type: "local", path: folder(place) }], pluginDelivery: "initialize" })
  expect(await chat.query.initializationResult()).toMatchObject({ plugins_applied: true })
  place.write(join(folder(place), "commands/late.md"), "---\ndescription: Late\n---\nLate.")
  const again = await chat.query.reloadPlugins({ refuseIfBusy: true })
  expect(again).toMatchObject({ plugins: [{ name: "helper" }], error_count: 0 })
  expect(again.commands.map(({ name }) => name)).toContain("helper:late")
  await expect(chat.query.reloadPlugins({ addPlugins: [{ type: "local", path: "/x" }] })).rejects.toThrow(
    "Plugins can only be named when a session starts.",
  )
  chat.stream.say("/helper:late")
  await chat.next(isResultMessage)
  await chat.end()
})

test("plugins are not read again while a turn runs, if the client wants it so", async () => {
  await using world = await openWorld("0.3", { scenario: [{ content: "Done.", timing: { ttftMs: 1_000 } }] })
  const wire = openWire(world)
  wire.send(initialize(), user("go"))
  await wire.next(({ subtype }) => subtype === "init")
  wire.send(request("busy", { subtype: "reload_plugins", refuse_if_busy: true }))
  expect(await wire.next(isAnswerTo("busy"))).toMatchObject({
    response: { subtype: "error", error_code: "reload_plugins_busy" },
  })
  await wire.next(isResult)
  wire.send(request("idle", { subtype: "reload_plugins", refuse_if_busy: true }))
  expect(await wire.next(isAnswerTo("idle"))).toMatchObject({ response: { subtype: "success" } })
  expect((await wire.end()).code).toBe(0)
})

describe("plugins that cannot be used", () => {
  const wrong: readonly { readonly name: string; readonly make: (place: Place) => void; readonly says: string }[] = [
    { name: "missing", make: () => {}, says: "does not exist or is not a folder" },
    { name: "bad", make: (place) => place.write("../bad/.claude-plugin/plugin.json", "{"), says: "cannot be read" },
    {
      name: "named",
      make: (place) => place.write("../named/.claude-plugin/plugin.json", '{"name":"../up"}'),
      says: "its name must be letters, digits, dots, - and _",
    },
  ]
  for (const { name, make, says } of wrong)
    test(name, async () => {
      await using world = await openWorld("0.3", { scenario: ["Done."] })
      make(world.place)
      const told = await world.run("go", { plugins: [{ type: "local", path: `../${name}` }] })
      expect(resultOf(told).result).toBe("Done.")
      const init = told.messages.find(({ subtype }) => subtype === "init")
      const path = join(world.place.path, name)
      expect(init).toMatchObject({
        plugins: [],
        plugin_errors: [{ plugin: "inline[0]", path, message: expect.stringContaining(says) as string }],
      })
      expect(world.stderr()).toContain(says)
    })

  test("a manifest names nothing outside its folder", async () => {
    using place = openPlace()
    place.write("../secret/steal.md", "---\ndescription: Steals\n---\nSteal.")
    place.write(
      "../p/.claude-plugin/plugin.json",
      JSON.stringify({ name: "p", commands: ["../secret", "./link"], hooks: "/etc/passwd" }),
    )
    mkdirSync(join(place.path, "p"), { recursive: true })
    symlinkSync(join(place.path, "secret"), join(place.path, "p/link"))
    const run = await runCodewright({
      place,
      argv: ["-p", "go", "--plugin-dir", "../p", "--output-format=stream-json", "--verbose"],
      scenario: ["Done."],
    })
    expect(run.code).toBe(0)
    expect(run.stdout).not.toContain("p:steal")
    expect(run.stderr.match(/outside the plugin/g)).toHaveLength(3)
  })
})

test("in scripts the flag never swallows the prompt, repeats, and hooks obey the settings", async () => {
  using place = placeWithPlugin()
  place.write("../plugins/other/commands/part.md", "---\ndescription: Other\n---\nOther.")
  const argv = ["-p", "--plugin-dir", "../plugins/helper", "--plugin-dir=../plugins/other", "/other:part"]
  const settings = JSON.stringify({ disableAllHooks: true })
  const run = await runCodewright({ place, argv: [...argv, "--settings", settings], scenario: ["Done."] })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
  expect(text(run.requests[0]?.body)).toContain("Other.")
  expect(existsSync(join(place.state, "plugins/data/helper/seen"))).toBe(false)
})

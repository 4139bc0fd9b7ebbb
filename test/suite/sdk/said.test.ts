/** What a client says is taken as it means it: text, pictures, parts of a system prompt, tools under other names. */

import { expect, test } from "bun:test"
import { createSdkMcpServer, type HookCallback, tool } from "claude-agent-sdk-0.3"
import { z } from "zod"
import { bash, calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf, withBoth, type World } from "./drive.ts"
import { initialize, isAnswerTo, openWire, user } from "./wire.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const part = (world: World, name: string, index: number): string =>
  JSON.stringify(Object(world.requests()[index]?.body)[name])
const sent = (world: World, index = 0): string => part(world, "messages", index)
const systemOf = (world: World): string => part(world, "system", 0)

withBoth("a command that there is not goes to the model as it is", async (version) => {
  await using world = await openWorld(version, { scenario: ["What is that?"] })
  const told = await world.run("/zzqqx now")
  expect(resultOf(told)).toMatchObject({ subtype: "success", result: "What is that?", is_error: false })
  expect(sent(world)).toContain('"/zzqqx now"')
})

withBoth("what a client has put together is text: no command, no mention", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two."], files: { "a.txt": "aardvark" } })
  const chat = openChat(world)
  chat.stream.say("/help", { client_composed: true })
  expect(await chat.next(isResult)).toMatchObject({ result: "One." })
  chat.stream.say("look at @a.txt", { client_composed: true })
  expect(await chat.next(isResult)).toMatchObject({ result: "Two." })
  await chat.end()
  expect(sent(world)).toContain('"/help"')
  expect(sent(world, 1)).toContain("@a.txt")
  expect(sent(world, 1)).not.toContain("aardvark")
})

withBoth("pictures may be given by their address, also when the session goes on later", async (version) => {
  await using world = await openWorld(version, { scenario: ["A cat.", "Still a cat."] })
  const chat = openChat(world)
  const picture = { type: "image", source: { type: "url", url: "https://example.com/cat.png" } }
  chat.stream.say("", { message: { role: "user", content: [{ type: "text", text: "What is it?" }, picture] } })
  const { session_id } = await chat.next(isResult)
  await chat.end()
  await world.run("and now?", { resume: session_id as string })
  for (const index of [0, 1]) expect(sent(world, index)).toContain(JSON.stringify(picture.source))
})

test("what cannot be sent is named", async () => {
  await using world = await openWorld("0.3")
  const wire = openWire(world)
  const picture = { type: "image", source: { type: "file", file_id: "f" } }
  wire.send(initialize(), user("", { message: { role: "user", content: [picture] } }))
  const { code, stderr } = await wire.over()
  expect(code).toBe(1)
  expect(stderr).toContain("a user message with a block that cannot be sent: image from file")
})

withBoth("parts of a system prompt are one text, without the mark between them", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const wire = openWire(world)
  wire.send(initialize({ systemPrompt: ["You are a poet.", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "It is Monday."] }))
  wire.send(user("go"))
  expect((await wire.end()).code).toBe(0)
  expect(systemOf(world)).toContain("You are a poet.\\n\\nIt is Monday.")
})

test("plugins of an unknown type are refused, and what nothing depends on is noted", async () => {
  await using world = await openWorld("0.3")
  const refused = openWire(world)
  refused.send(initialize({ plugins: [{ type: "git", path: "/p" }] }))
  expect(await refused.next(isAnswerTo("init"))).toMatchObject({
    response: { subtype: "error", error: expect.stringContaining("plugins must be a list of") as string },
  })
  expect((await refused.end()).code).toBe(1)
  const noted = openWire(world)
  noted.send(initialize({ agentProgressSummaries: true }))
  await noted.next(isAnswerTo("init"))
  expect(await noted.end()).toEqual({
    code: 0,
    stderr: "Ignoring agentProgressSummaries: the progress of agents is told as their calls.\n",
  })
})

test("what the user may say next comes as a message, where the client wants it", async () => {
  const scenario = ["The fix is in.", "run the tests"]
  await using world = await openWorld("0.3", { scenario })
  const client = openWire(world)
  client.send(initialize({ promptSuggestions: true }))
  await client.next(isAnswerTo("init"))
  client.send({ type: "user", message: { role: "user", content: "fix it" }, parent_tool_use_id: null })
  expect(await client.next(({ type }) => type === "prompt_suggestion")).toMatchObject({
    type: "prompt_suggestion",
    suggestion: "run the tests",
    uuid: expect.any(String) as string,
    session_id: expect.any(String) as string,
  })
  expect((await client.end()).code).toBe(0)
})

test("a call goes to the tool that the client named in its place, and so do rules", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(bash("touch made")), "Done."] })
  const ran: string[] = []
  const server = createSdkMcpServer({
    name: "far",
    tools: [
      tool("bash", "Runs it elsewhere", { command: z.string() }, ({ command }) => {
        ran.push(command)
        return Promise.resolve({ content: [{ type: "text", text: "ran elsewhere" }] })
      }),
    ],
  })
  await world.run("go", {
    mcpServers: { far: server },
    toolAliases: { Bash: "mcp__far__bash" },
    allowedTools: ["mcp__far__bash"],
  })
  expect(ran).toEqual(["touch made"])
  expect(sent(world, 1)).toContain("ran elsewhere")
  expect(await Bun.file(`${world.place.work}/made`).exists()).toBe(false)
})

test("a callback says what its failure means", async () => {
  const broken: HookCallback = () => Promise.reject(new Error("broken hook"))
  await using guarded = await openWorld("0.3")
  const blocked = await guarded.run("go", { hooks: { UserPromptSubmit: [{ hooks: [broken], onFailure: "block" }] } })
  expect(guarded.requests()).toEqual([])
  expect(blocked.messages.filter(isResult)).toHaveLength(1)
  await using lenient = await openWorld("0.3", { scenario: [calls(bash("touch made")), "Done."] })
  const hooks = { PreToolUse: [{ hooks: [broken], onFailure: "continue" as const }] }
  await lenient.run("go", { hooks, allowedTools: ["Bash"] })
  expect(await Bun.file(`${lenient.place.work}/made`).exists()).toBe(true)
  // One that is silent has not failed: its call waits for nothing, and does not run.
  const silent: HookCallback = () => new Promise(() => {})
  await using late = await openWorld("0.3", { scenario: [calls(bash("touch made")), "Done."] })
  const waiting = { PreToolUse: [{ hooks: [silent], onFailure: "continue" as const, timeout: 1 }] }
  await late.run("go", { hooks: waiting, allowedTools: ["Bash"] })
  expect(await Bun.file(`${late.place.work}/made`).exists()).toBe(false)
})

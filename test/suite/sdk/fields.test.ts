/** What messages say besides their content: which message they answer, how long it took, what goes on meanwhile. */

import { expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { createSdkMcpServer } from "claude-agent-sdk-0.3"
import { calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"
import { initialize, isAnswerTo, isResult as isResultLine, openWire, request, user } from "./wire.ts"

const isResult = ({ type }: Message): boolean => type === "result"

withBoth("results are numbered, and say which messages they answer and how many still wait", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three."] })
  const chat = openChat(world, { includePartialMessages: true })
  const [silent, first, second] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()] as const
  chat.stream.say("Note this.", { uuid: silent, shouldQuery: false })
  chat.stream.say("first", { uuid: first })
  chat.stream.say("second", { uuid: second })
  chat.stream.say("third")
  const told = await chat.end()
  const results = told.messages.filter(isResult)
  expect(
    results.map(({ result_index, user_message_uuid, user_message_uuids }) => [
      result_index,
      user_message_uuid,
      user_message_uuids,
    ]),
  ).toEqual([
    [0, first, [silent, first]],
    [1, second, [second]],
    [2, undefined, undefined],
  ])
  expect(results.at(-1)?.["queued_turn_count"]).toBe(0)
  for (const { ttft_ms } of results) expect(ttft_ms).toBeNumber()
  // Once for each kind of message, on the first.
  const marked = told.messages.filter(({ user_message_uuid, type }) => user_message_uuid === first && type !== "result")
  expect(marked.map(({ type }) => type)).toEqual(["stream_event", "assistant"])
  const begun = told.messages.filter(
    (message) => message.type === "stream_event" && (message.event as { type: string }).type === "message_start",
  )
  expect(begun).toHaveLength(3)
  for (const { ttft_ms } of begun) expect(ttft_ms).toBeNumber()
})

withBoth("after /clear the client learns which of its messages did it", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two."] })
  const chat = openChat(world)
  chat.stream.say("aardvark")
  await chat.next(isResult)
  const uuid = crypto.randomUUID()
  chat.stream.say("/clear", { uuid })
  const reset = await chat.next(({ type }) => String(type) === "conversation_reset")
  expect(reset).toMatchObject({
    trigger: "clear",
    user_message_uuid: uuid,
    new_conversation_id: expect.any(String) as string,
  })
  await chat.next(isResult)
  chat.stream.say("second")
  expect(await chat.next(isResult)).toMatchObject({ result: "Two." })
  await chat.end()
  expect(JSON.stringify(world.requests().at(-1)?.body)).not.toContain("aardvark")
})

withBoth(
  "what runs in the background is told whole, as it comes and goes, with where its output is",
  async (version) => {
    const command = { tool: "Bash", input: { command: "echo from behind; sleep 0.2", run_in_background: true } }
    await using world = await openWorld(version, { scenario: [calls(command), "Started.", "It ended."] })
    const chat = openChat(world, { allowedTools: ["Bash"] })
    chat.stream.say("go")
    const ended = await chat.next(({ subtype }) => subtype === "task_notification")
    const file = String(ended["output_file"])
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, "utf8")).toBe("from behind\n")
    await chat.next(({ subtype }) => subtype === "background_tasks_changed")
    const told = await chat.end()
    const levels = told.messages.filter(({ subtype }) => subtype === "background_tasks_changed")
    const { run_id } = ended
    expect(run_id).toBeString()
    expect(levels.map(({ tasks }) => tasks)).toEqual([
      [{ task_id: "bash_1", task_type: "local_bash", description: command.input.command, run_id }],
      [],
    ] as never)
    const runs = told.messages.flatMap((message) => (message["task_id"] === "bash_1" ? [message["run_id"]] : []))
    expect(runs).toEqual([run_id, run_id, run_id])
  },
)

withBoth("a client that initializes again gets the level of background work", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const wire = openWire(world)
  wire.send(initialize(), user("go"))
  await wire.next(isResultLine)
  wire.send(request("again", { subtype: "initialize" }))
  await wire.next(isAnswerTo("again"))
  expect(await wire.next(({ type }) => type === "system")).toMatchObject({
    subtype: "background_tasks_changed",
    tasks: [],
  })
  expect((await wire.end()).code).toBe(0)
})

withBoth("commands that come with a server are told to a client that knows another list", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two."] })
  const chat = openChat(world)
  const before = (await chat.query.supportedCommands()).map(({ name }) => name)
  chat.stream.say("first")
  await chat.next(isResult)
  const server = createSdkMcpServer({ name: "poet" })
  server.instance.registerPrompt("rhyme", { description: "Makes rhymes" }, () => ({ messages: [] }))
  await chat.query.setMcpServers({ poet: server as never })
  const changed = await chat.next(({ subtype }) => subtype === "commands_changed")
  const names = (changed["commands"] as readonly { readonly name: string }[]).map(({ name }) => name)
  expect(names.filter((name) => !before.includes(name))).toEqual(["mcp__poet__rhyme"])
  await chat.end()
})

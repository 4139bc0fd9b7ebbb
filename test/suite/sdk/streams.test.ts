/** Conversations that stay open: interrupts, changes in between, replayed messages, answers piece by piece, state. */

import { expect } from "bun:test"
import { bash, calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { kinds, type Message, openWorld, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"

withBoth("an interrupt ends the turn in the order clients rely on; the next turn works", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("sleep 60")), "Fine."] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("wait")
  await chat.next(({ type }) => type === "assistant")
  await chat.query.interrupt()
  const result = await chat.next(isResult)
  expect(result).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "aborted_tools",
  })
  chat.stream.say("and now?")
  expect(await chat.next(isResult)).toMatchObject({ subtype: "success", result: "Fine." })
  const told = await chat.end()
  expect(told.thrown).toBeUndefined()
  // On a slow machine the command runs long enough to be told of.
  expect(kinds(told).filter((kind) => kind !== "tool_progress")).toEqual([
    "system/init",
    "assistant",
    "user",
    "user",
    "result/error_during_execution",
    "system/init",
    "assistant",
    "result/success",
  ])
  const [open, synthetic] = told.messages.filter(({ type }) => type === "user")
  expect(JSON.stringify(open)).toContain("tool_result")
  expect(synthetic).toMatchObject({
    isSynthetic: true,
    message: { content: "[Request interrupted by user for tool use]" },
  })
})

withBoth("an interrupt while the model answers", async (version) => {
  const slow = { content: "A long answer that takes its time.", timing: { tokensPerSecond: 4 } }
  await using world = await openWorld(version, { scenario: [slow, "Better."] })
  const chat = openChat(world, { includePartialMessages: true })
  chat.stream.say("talk")
  await chat.next((message) => JSON.stringify(message).includes("text_delta"))
  await chat.query.interrupt()
  expect(await chat.next(isResult)).toMatchObject({ terminal_reason: "aborted_streaming" })
  chat.stream.say("again")
  expect(await chat.next(isResult)).toMatchObject({ result: "Better." })
  const said = (await chat.end()).messages.filter(({ type }) => type === "assistant")
  expect(said.map(({ aborted }) => aborted)).toEqual([true, undefined])
  const requests = said.map(({ request_id }) => request_id)
  expect(new Set(requests).size).toBe(2)
  for (const request of requests) expect(request).toMatch(/^req_sim/)
})

withBoth("mode, model and thinking change between turns, and the client is told", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two."] })
  const chat = openChat(world)
  chat.stream.say("first")
  await chat.next(isResult)
  await chat.query.setPermissionMode("acceptEdits")
  expect(await chat.next(({ subtype }) => subtype === "status")).toMatchObject({ permissionMode: "acceptEdits" })
  await chat.query.setModel("claude-haiku-5")
  chat.stream.say("second")
  expect(await chat.next(({ subtype }) => subtype === "init")).toMatchObject({
    permissionMode: "acceptEdits",
    model: "claude-haiku-5",
  })
  await chat.next(isResult)
  await expect(chat.query.setPermissionMode("bypassPermissions")).rejects.toThrow("allow-dangerously-skip-permissions")
  await chat.end()
  expect(world.requests().map(({ body }) => (body as { model: string }).model)).toEqual([
    "claude-opus-5-5",
    "claude-haiku-5",
  ])
})

withBoth("messages come back with their own ids when they are taken up", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two."] })
  const chat = openChat(world, { extraArgs: { "replay-user-messages": null } })
  const uuids = [crypto.randomUUID(), crypto.randomUUID()]
  for (const uuid of uuids) chat.stream.say(`message ${uuid}`, { uuid })
  const told = await chat.end()
  const replayed = told.messages.filter(({ isReplay }) => isReplay === true)
  expect(replayed.map(({ uuid }) => uuid)).toEqual(uuids)
  const turn = ["system/init", "user", "assistant", "result/success"]
  expect(kinds(told)).toEqual([...turn, ...turn])
})

withBoth("answers piece by piece are the raw events of the API", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("echo hi")), "Done."] })
  const told = await world.run("go", { includePartialMessages: true })
  const events = told.messages.flatMap((message) =>
    message.type === "stream_event" ? [message.event as unknown as { readonly type: string }] : [],
  )
  expect(events.map(({ type }) => type).filter((type) => type.startsWith("message"))).toEqual([
    "message_start",
    "message_delta",
    "message_stop",
    "message_start",
    "message_delta",
    "message_stop",
  ])
  const input = events.flatMap((event) => {
    const { delta } = event as { delta?: { type?: string; partial_json?: string } }
    return delta?.type === "input_json_delta" ? [delta.partial_json ?? ""] : []
  })
  expect(JSON.parse(input.join(""))).toEqual({ command: "echo hi" })
  expect(events[0]).toMatchObject({ message: { role: "assistant", content: [], stop_reason: null } })
})

withBoth(
  "clients that ask for it hear when the session works, waits for them and rests",
  async (version) => {
    await using world = await openWorld(version, { scenario: [calls(bash("touch a")), "Done."] })
    const chat = openChat(world, {
      env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" },
      canUseTool: (_, input) => Promise.resolve({ behavior: "allow", updatedInput: input }),
    })
    chat.stream.say("go")
    await chat.next(isResult)
    const told = await chat.end()
    // The newer SDK keeps them to itself.
    const states = told.messages.flatMap(({ subtype, state }) => (subtype === "session_state_changed" ? [state] : []))
    expect(states).toEqual(version === "0.3" ? [] : ["running", "requires_action", "running", "idle"])
  },
  "both",
)

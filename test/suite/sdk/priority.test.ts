/** When a message is heard, and who wrote it, as the client says with each. */

import { expect } from "bun:test"
import { calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const isStart = ({ type }: Message): boolean => type === "assistant"
const wait = calls({ tool: "Bash", input: { command: "while [ ! -e ../go ]; do sleep 0.05; done" } })
const ids = {
  first: "00000000-0000-4000-8000-000000000001",
  second: "00000000-0000-4000-8000-000000000002",
  third: "00000000-0000-4000-8000-000000000003",
}

withBoth("next: it goes into the turn that runs, whose result answers both", async (version) => {
  await using world = await openWorld(version, { scenario: [wait, "Both done.", "Alone."] })
  const chat = openChat(world, { allowedTools: ["Bash"], extraArgs: { "replay-user-messages": null } })
  chat.stream.say("first", { uuid: ids.first })
  await chat.next(isStart)
  chat.stream.say("second", { uuid: ids.second, priority: "next" })
  // Taken before the turn goes on: what is asked after it is answered after it.
  await chat.query.setPermissionMode("default")
  world.place.write("../go", "")
  expect(await chat.next(isResult)).toMatchObject({
    result: "Both done.",
    user_message_uuids: [ids.first, ids.second],
  })
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("second")
  expect(chat.told.filter(({ isReplay }) => isReplay).map(({ uuid }) => String(uuid))).toEqual([ids.first, ids.second])
  chat.stream.say("third", { uuid: ids.third, priority: "next" })
  expect(await chat.next(isResult)).toMatchObject({ result: "Alone.", user_message_uuids: [ids.third] })
  expect((await chat.end()).thrown).toBeUndefined()
})

withBoth("now: what runs is interrupted; later: after all others", async (version) => {
  await using world = await openWorld(version, { scenario: [wait, "At once.", "In between.", "At last."] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("first")
  await chat.next(isStart)
  chat.stream.say("last", { priority: "later" })
  chat.stream.say("middle")
  chat.stream.say("now", { priority: "now" })
  expect(await chat.next(isResult)).toMatchObject({ subtype: "error_during_execution" })
  expect(await chat.next(isResult)).toMatchObject({ result: "At once." })
  expect(await chat.next(isResult)).toMatchObject({ result: "In between." })
  expect(await chat.next(isResult)).toMatchObject({ result: "At last." })
  expect((await chat.end()).thrown).toBeUndefined()
})

withBoth("what was handed to a turn that is interrupted is answered after it", async (version) => {
  await using world = await openWorld(version, { scenario: [wait, "Second."] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("first")
  await chat.next(isStart)
  chat.stream.say("second", { priority: "next", uuid: ids.second })
  await chat.query.setPermissionMode("default")
  await chat.query.interrupt()
  expect(await chat.next(isResult)).toMatchObject({ subtype: "error_during_execution" })
  expect(await chat.next(isResult)).toMatchObject({ result: "Second.", user_message_uuids: [ids.second] })
  expect((await chat.end()).thrown).toBeUndefined()
})

withBoth("what nobody typed names no command and no file, and its result says who wrote it", async (version) => {
  await using world = await openWorld(version, {
    files: { "secret.txt": "the word is plum" },
    scenario: ["One.", "Two.", "Three."],
  })
  const chat = openChat(world)
  const origin = { kind: "channel", server: "chat" }
  chat.stream.say("/context and @secret.txt", { origin })
  expect(await chat.next(isResult)).toMatchObject({ result: "One.", origin })
  chat.stream.say("/context and @secret.txt", { isSynthetic: true })
  expect(await chat.next(isResult)).toMatchObject({ result: "Two." })
  expect(JSON.stringify(world.requests().map(({ body }) => body))).not.toContain("plum")
  chat.stream.say("look at @secret.txt", { origin: { kind: "human" } })
  expect(await chat.next(isResult)).toMatchObject({ result: "Three.", origin: { kind: "human" } })
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("plum")
  expect((await chat.end()).thrown).toBeUndefined()
})

/** Work in the background: the model hears how it ended, also after the last message, and results name it. */

import { expect } from "bun:test"
import { calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"
import { initialize, isResult as isResultLine, openWire, user } from "./wire.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const behind = (command: string) => calls({ tool: "Bash", input: { command, run_in_background: true } })
const agent = { description: "a look", prompt: "look", subagent_type: "general-purpose", run_in_background: true }

withBoth("after a single prompt it is waited for, and the model's answer to it is one more result", async (version) => {
  const command = "while [ ! -e ../go ]; do sleep 0.05; done; echo ready"
  await using world = await openWorld(version, { scenario: [behind(command), "Started.", "It is ready."] })
  const messages: Message[] = []
  for await (const message of world.query({ prompt: "go", options: world.options({ allowedTools: ["Bash"] }) })) {
    messages.push(message as Message)
    if (message.type === "result") world.place.write("../go", "")
  }
  const task = { task_id: "bash_1", task_type: "local_bash", description: command }
  expect(messages.filter(isResult)).toMatchObject([
    { result: "Started.", result_index: 0, background_tasks: [{ ...task, status: "running" }] },
    { result: "It is ready.", result_index: 1, background_tasks: [{ ...task, status: "completed" }] },
  ])
  expect(messages.at(-1)?.type).toBe("result")
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("bash_1")
})

withBoth("what is still running at the limit is ended, and the client hears of it", async (version) => {
  await using world = await openWorld(version, { scenario: [behind("sleep 600"), "Started."] })
  const told = await world.run("go", { allowedTools: ["Bash"], extraArgs: { "background-wait": "0.1" } })
  expect(told.thrown).toBeUndefined()
  expect(told.messages.filter(isResult)).toMatchObject([
    { result: "Started.", background_tasks: [{ task_id: "bash_1", status: "running" }] },
  ])
  expect(told.messages.findLast(({ subtype }) => subtype === "task_notification")).toMatchObject({ status: "stopped" })
  expect(world.stderr()).toContain("Stopping a background command that is still running: bash_1, sleep 600")
})

withBoth("a conversation that stays open goes on by itself when an agent is done", async (version) => {
  await using world = await openWorld(version, {
    scenario: {
      replies: [
        { when: { system: "You carry out one task" }, content: "Blue.", timing: { ttftMs: 1_500 } },
        { content: [{ tool: "Task", input: agent }] },
        { content: "I started it." },
        { content: "It says blue." },
        { content: "You are welcome." },
      ],
    },
  })
  const chat = openChat(world)
  chat.stream.say("go")
  expect(await chat.next(isResult)).toMatchObject({ result: "I started it." })
  expect(await chat.next(isResult)).toMatchObject({ result: "It says blue." })
  chat.stream.say("thanks")
  expect(await chat.next(isResult)).toMatchObject({ result: "You are welcome.", result_index: 2 })
  expect((await chat.end()).thrown).toBeUndefined()
})

withBoth("and when a command is done", async (version) => {
  await using world = await openWorld(version, {
    scenario: [behind("while [ ! -e ../go ]; do sleep 0.05; done; echo built"), "Started.", "It is built.", "Bye."],
  })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("go")
  expect(await chat.next(isResult)).toMatchObject({ result: "Started." })
  world.place.write("../go", "")
  const notice = await chat.next(({ subtype }) => subtype === "task_notification")
  expect(notice).toMatchObject({ task_id: "bash_1", status: "completed" })
  expect(await chat.next(({ subtype }) => subtype === "init")).toMatchObject({ cwd: world.place.work })
  expect(await chat.next(isResult)).toMatchObject({
    result: "It is built.",
    num_turns: 1,
    origin: { kind: "task-notification" },
  })
  chat.stream.say("bye")
  expect(await chat.next(isResult)).toMatchObject({ result: "Bye.", result_index: 2 })
  expect((await chat.end()).thrown).toBeUndefined()
})

withBoth("where no more messages come, the last result waits for it and is the only one", async (version) => {
  await using world = await openWorld(version, {
    scenario: [behind("while [ ! -e ../go ]; do sleep 0.05; done; sleep 1; exit 3"), "Started.", "It failed."],
  })
  const wire = openWire(world, ["--allowed-tools", "Bash"])
  wire.send(initialize(), user("go"))
  const ended = wire.end()
  await wire.next((message) => JSON.stringify(message).includes("Started."))
  world.place.write("../go", "")
  expect((await ended).code).toBe(0)
  expect(wire.told.filter(isResultLine)).toMatchObject([
    { result: "It failed.", num_turns: 3, background_tasks: [{ task_id: "bash_1", status: "failed" }] },
  ])
})

/** What a client may ask of its session besides talking to it. */

import { expect } from "bun:test"
import { bash, calls, write } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"

withBoth("what there is to choose from, what fills the context, and whose account it is", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello."] })
  const chat = openChat(world)
  expect((await chat.query.supportedCommands()).map(({ name }) => name)).toContain("compact")
  expect((await chat.query.supportedModels())[0]).toMatchObject({ value: "default" })
  expect((await chat.query.supportedAgents()).map(({ name }) => name)).toContain("Explore")
  expect(await chat.query.accountInfo()).toMatchObject({ apiKeySource: "ANTHROPIC_API_KEY" })
  chat.stream.say("hi")
  await chat.next(isResult)
  const usage = await chat.query.getContextUsage()
  expect(usage).toMatchObject({ model: "claude-opus-5-5", maxTokens: 200_000 })
  expect(usage.totalTokens).toBeGreaterThan(0)
  await chat.end()
})

withBoth("files are rewound to before a message, where the client asked for that at the start", async (version) => {
  const uuid = crypto.randomUUID()
  const scenario = [calls(write("a.txt", "new\n")), "Done."]
  await using world = await openWorld(version, { scenario })
  const chat = openChat(world, { allowedTools: ["Write"], enableFileCheckpointing: true })
  chat.stream.say("write it", { uuid })
  await chat.next(isResult)
  expect(await chat.query.rewindFiles(uuid, { dryRun: true })).toMatchObject({ canRewind: true, deletions: 1 })
  expect(await world.place.read("a.txt")).toBe("new\n")
  expect(await chat.query.rewindFiles(uuid)).toMatchObject({ canRewind: true })
  expect(await Bun.file(`${world.place.work}/a.txt`).exists()).toBe(false)
  await chat.end()

  await using other = await openWorld(version, { scenario })
  const plain = openChat(other, { allowedTools: ["Write"] })
  plain.stream.say("write it", { uuid })
  await plain.next(isResult)
  await expect(plain.query.rewindFiles(uuid)).rejects.toThrow("File rewinding is not enabled.")
  await plain.end()
})

withBoth("a background command is a task that can be stopped", async (version) => {
  const background = { tool: "Bash", input: { command: "sleep 1000", run_in_background: true } }
  await using world = await openWorld(version, { scenario: [calls(background), "Started."] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("start it")
  const task = await chat.next(({ subtype }) => subtype === "task_started")
  expect(task).toMatchObject({ task_type: "local_bash", description: "sleep 1000" })
  await chat.next(isResult)
  await chat.query.stopTask(String(task.task_id))
  expect(await chat.next(({ subtype }) => subtype === "task_notification")).toMatchObject({
    task_id: task.task_id,
    status: "stopped",
  })
  await expect(chat.query.stopTask("no-such-task")).rejects.toThrow("no-such-task")
  await chat.end()
})

withBoth("long commands tell how long they run", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(bash("for i in 1 2 3 4; do echo $i; sleep 0.6; done")), "Done."],
  })
  const told = await world.run("go", { allowedTools: ["Bash"] })
  const progress = told.messages.filter(({ type }) => type === "tool_progress")
  expect(progress.length).toBeGreaterThan(0)
  expect(progress[0]).toMatchObject({ tool_name: "Bash", parent_tool_use_id: null })
})

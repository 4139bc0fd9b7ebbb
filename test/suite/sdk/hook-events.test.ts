/** What hooks of settings do is told: at the start of a session always, elsewhere to clients that ask for it. */

import { expect } from "bun:test"
import { join } from "node:path"
import { bash, calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, type Told, withBoth, type World } from "./drive.ts"

const command = (line: string, matcher = ""): object => ({ matcher, hooks: [{ type: "command", command: line }] })

const configure = (world: World, hooks: object): void =>
  void world.place.write(join(world.place.state, "settings.json"), JSON.stringify({ hooks }))

const ofHooks = ({ messages }: Told): readonly Message[] =>
  messages.filter(({ subtype }) => String(subtype).startsWith("hook_"))

const isResult = ({ type }: Message): boolean => type === "result"

withBoth("hooks at the start are told even to those who did not ask, whole and once", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("true")), "Done."] })
  configure(world, {
    SessionStart: [command("echo The moon is full; echo and bright >&2")],
    PreToolUse: [command("true", "Bash")],
  })
  const told = await world.run("go")
  const [started, response, ...more] = ofHooks(told)
  expect(more).toEqual([])
  const which = { hook_name: "SessionStart:startup", hook_event: "SessionStart", hook_id: expect.any(String) as string }
  const session_id = told.messages.find(({ subtype }) => subtype === "init")?.session_id as string
  expect(started).toEqual({
    type: "system",
    subtype: "hook_started",
    ...which,
    session_id,
    uuid: expect.any(String) as string,
  } as never)
  expect(response).toEqual({
    type: "system",
    subtype: "hook_response",
    ...which,
    hook_id: started?.["hook_id"],
    stdout: "The moon is full\n",
    stderr: "and bright\n",
    output: "The moon is full\nand bright\n",
    exit_code: 0,
    outcome: "success",
    session_id,
    uuid: expect.any(String) as string,
  } as never)
})

withBoth("other hooks are told to clients that ask, each with what it is about and how it ended", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("echo hi")), "Done."] })
  configure(world, {
    UserPromptSubmit: [command("true")],
    PreToolUse: [command("echo no >&2; exit 2", "Bash")],
    Stop: [command("exit 3")],
  })
  const told = await world.run("go", { includeHookEvents: true })
  expect(
    ofHooks(told).map(({ subtype, hook_name, exit_code, outcome, stderr }) => [
      subtype,
      hook_name,
      ...(subtype === "hook_response" ? [exit_code, outcome, stderr] : []),
    ]),
  ).toEqual([
    ["hook_started", "UserPromptSubmit"],
    ["hook_response", "UserPromptSubmit", 0, "success", ""],
    ["hook_started", "PreToolUse:Bash"],
    ["hook_response", "PreToolUse:Bash", 2, "error", "no\n"],
    ["hook_started", "Stop"],
    ["hook_response", "Stop", 3, "error", ""],
  ])
  const all = told.messages.map(({ subtype, type }) => subtype ?? type)
  expect(all.slice(0, 3)).toEqual(["hook_started", "hook_response", "init"])
  expect(all.at(-1)).toBe("success")
})

withBoth("a client that says nothing yet hears nothing yet; then of the hooks that ran meanwhile", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  configure(world, { SessionStart: [command("echo early; touch ../ran")] })
  const chat = openChat(world)
  await chat.query.initializationResult()
  while (!(await Bun.file(join(world.place.path, "ran")).exists())) await Bun.sleep(10)
  expect(chat.told).toEqual([])
  chat.stream.say("go")
  await chat.next(isResult)
  const told = await chat.end()
  expect(ofHooks(told).map(({ subtype, stdout }) => [subtype, stdout])).toEqual([
    ["hook_started", undefined],
    ["hook_response", "early\n"],
  ])
})

withBoth("a slow hook tells what it has printed so far; an interrupted one is cancelled", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("true")), "Done."] })
  configure(world, {
    PreToolUse: [command("echo one; while [ ! -e ../two ]; do sleep 0.05; done; echo two; sleep 60")],
  })
  const chat = openChat(world, { includeHookEvents: true })
  chat.stream.say("go")
  const isProgress = ({ subtype }: Message): boolean => subtype === "hook_progress"
  expect(await chat.next(isProgress)).toMatchObject({ stdout: "one\n", stderr: "", output: "one\n" })
  world.place.write("../two", "")
  expect(await chat.next(isProgress)).toMatchObject({ stdout: "one\ntwo\n", hook_name: "PreToolUse:Bash" })
  await chat.query.interrupt()
  await chat.next(isResult)
  const told = await chat.end()
  expect(ofHooks(told).at(-1)).toMatchObject({ subtype: "hook_response", outcome: "cancelled" })
  expect(ofHooks(told).at(-1)).not.toHaveProperty("exit_code")
})

/** A whole session in an editor: the official package's client, unmodified, against our program. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"
import { openEditor, openWorld } from "../../kit/acp/editor.ts"

const isPermission = ({ method }: { readonly method?: unknown }): boolean => method === "session/request_permission"

test("text, calls with places and diffs, a permission, usage, commands and options", async () => {
  await using world = await openWorld(
    [
      { content: [{ thinking: "Let me see." }, { text: "I look." }, { tool: "Read", input: { file_path: "a.txt" } }] },
      calls(edit("a.txt", "one", "two")),
      says("Done."),
    ],
    { "a.txt": "one\n" },
  )
  await using editor = await openEditor(world, { permission: async () => "yes" })
  const { sessionId, modes, configOptions } = await editor.newSession()
  expect(modes).toMatchObject({ currentModeId: "default" })
  expect(configOptions).toMatchObject([{ id: "mode" }, { id: "model" }, { id: "effort" }])
  expect(await editor.prompt(sessionId, "change it")).toBe("end_turn")
  expect(await world.place.read("a.txt")).toBe("two\n")
  expect(editor.text()).toBe("I look.Done.")
  const path = `${world.place.work}/a.txt`
  const [asked] = editor.permissions
  expect(asked).toMatchObject({
    toolCall: {
      title: "Edit a.txt",
      kind: "edit",
      locations: [{ path, line: 1 }],
      content: [{ type: "diff", path, oldText: "one", newText: "two" }, { type: "content" }],
    },
  })
  expect(asked?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["yes", "allow_once"],
    ["yes:words", "allow_once"],
    ["mode:acceptEdits", "allow_always"],
    ["always:session", "allow_always"],
    ["always:local settings", "allow_always"],
    ["always:user settings", "allow_always"],
    ["no", "reject_once"],
    ["no:words", "reject_once"],
  ])
  expect(editor.updatesOf("tool_call_update").at(-1)).toMatchObject({
    status: "completed",
    content: [{ type: "diff", path, oldText: "one", newText: "two" }],
    locations: [{ path, line: 1 }],
  })
  expect(editor.updatesOf("agent_thought_chunk").length).toBeGreaterThan(0)
  expect(editor.updatesOf("usage_update").at(-1)).toMatchObject({ size: 200_000, cost: { currency: "USD" } })
  expect(JSON.stringify(editor.updatesOf("available_commands_update"))).toContain('"name":"compact"')
  expect(await editor.end()).toBe(0)
})

test("always: the rule is kept, and the same is not asked again; no, with words: the model hears them", async () => {
  await using world = await openWorld([
    calls(bash("touch one")),
    calls(bash("touch one")),
    calls(bash("rm one")),
    says("As you wish."),
  ])
  await using editor = await openEditor(world, {
    permission: async ({ toolCall }) => (toolCall.title?.includes("rm") ? "no:words" : "always:session"),
    form: () => ({ action: "accept", content: { instructions: "Leave it there." } }),
  })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn")
  expect(editor.permissions.map(({ toolCall }) => toolCall.title)).toEqual(["Bash touch one", "Bash rm one"])
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Leave it there.")
  expect(existsSync(`${world.place.work}/one`)).toBe(true)
})

test("yes, with words: it is done, and the model hears them", async () => {
  await using world = await openWorld([calls(bash("touch one")), says("As you wish.")])
  const asked: unknown[] = []
  await using editor = await openEditor(world, {
    permission: async () => "yes:words",
    form: (form) => {
      asked.push(form.message)
      return { action: "accept", content: { instructions: "Only one." } }
    },
  })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn")
  expect(asked).toEqual(["What should the model know?"])
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Only one.")
  expect(existsSync(`${world.place.work}/one`)).toBe(true)
})

test("a plain no ends the turn, and the next prompt goes on", async () => {
  await using world = await openWorld([calls(bash("touch one")), says("Hello.")])
  await using editor = await openEditor(world, { permission: async () => "no" })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "go")).toBe("cancelled")
  expect(await editor.prompt(sessionId, "hello")).toBe("end_turn")
  expect(existsSync(`${world.place.work}/one`)).toBe(false)
})

test("a list of work is the editor's plan", async () => {
  const todos = [
    { content: "Look", status: "completed", activeForm: "Looking" },
    { content: "Change", status: "in_progress", activeForm: "Changing" },
  ]
  await using world = await openWorld([calls(use("TodoWrite", { todos })), says("Listed.")])
  await using editor = await openEditor(world, { permission: async () => "yes" })
  const { sessionId } = await editor.newSession()
  await editor.prompt(sessionId, "list it")
  expect(editor.updatesOf("plan").at(-1)).toEqual({
    sessionUpdate: "plan",
    entries: [
      { content: "Look", status: "completed", priority: "medium" },
      { content: "Change", status: "in_progress", priority: "medium" },
    ],
  })
})

test("modes, models and effort change both ways", async () => {
  await using world = await openWorld([says("Hello.")])
  await using editor = await openEditor(world)
  const { sessionId } = await editor.newSession()
  await editor.call("session/set_mode", { sessionId, modeId: "plan" })
  const isMode = (mode: string) => (message: object) => JSON.stringify(message).includes(`"currentModeId":"${mode}"`)
  await editor.until(isMode("plan"))
  const set = await editor.call("session/set_config_option", { sessionId, configId: "effort", value: "high" })
  expect(set).toMatchObject({ configOptions: [{ currentValue: "plan" }, {}, { id: "effort", currentValue: "high" }] })
  // What is typed changes what the editor shows, too.
  expect(await editor.prompt(sessionId, "/mode acceptEdits")).toBe("end_turn")
  await editor.until((message) => isMode("acceptEdits")(message) && "method" in message)
  await editor.until((message) => JSON.stringify(message).includes('"config_option_update"'))
  const wrong = await editor
    .call("session/set_config_option", { sessionId, configId: "model", value: "nothing/none" })
    .catch((error: unknown) => String(error))
  expect(wrong).toContain("Unknown model")
})

test("a question with choices is a form, and its answer goes to the model", async () => {
  const questions = [
    {
      question: "Which color?",
      header: "Color",
      multiSelect: false,
      options: [
        { label: "Red", description: "Warm" },
        { label: "Blue", description: "Cold" },
      ],
    },
  ]
  await using world = await openWorld([calls(use("AskUserQuestion", { questions })), says("Blue it is.")])
  await using editor = await openEditor(world, {
    form: () => ({ action: "accept", content: { question_1: "Blue" } }),
  })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "ask me")).toBe("end_turn")
  expect(editor.forms).toMatchObject([
    { mode: "form", sessionId, requestedSchema: { properties: { question_1: { title: "Color" } } } },
  ])
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Blue")

  // An editor without forms is asked by a permission.
  await using other = await openWorld([calls(use("AskUserQuestion", { questions })), says("Red it is.")])
  await using plain = await openEditor(other, { capabilities: { elicitation: {} }, permission: async () => "choice:0" })
  const { sessionId: id } = await plain.newSession()
  expect(await plain.prompt(id, "ask me")).toBe("end_turn")
  expect(JSON.stringify(other.requests().at(-1)?.body)).toContain("Red")
})

test("a cancel ends the turn and takes back what is queued; a queued prompt is answered in its turn", async () => {
  await using world = await openWorld([
    calls(bash("sleep 1000")),
    says("First."),
    { ...says("Slow. ".repeat(50)), timing: { tokensPerSecond: 50 } },
    says("Third."),
  ])
  await using editor = await openEditor(world, { argv: ["--allowed-tools", "Bash(sleep:*)"] })
  const { sessionId } = await editor.newSession()
  const first = editor.prompt(sessionId, "first")
  await editor.until((message) => JSON.stringify(message).includes('"in_progress"'))
  const queued = editor.prompt(sessionId, "queued")
  await editor.agent.notify("session/cancel", { sessionId })
  expect(await Promise.all([first, queued])).toEqual(["cancelled", "cancelled"])
  expect(await editor.prompt(sessionId, "again")).toBe("end_turn")

  const slow = editor.prompt(sessionId, "slowly")
  await editor.until((message) => JSON.stringify(message).includes("Slow."))
  const next = editor.prompt(sessionId, "next")
  expect(await Promise.all([slow, next])).toEqual(["end_turn", "end_turn"])
  expect(editor.text()).toEndWith("Third.")
})

test("one request can be withdrawn by itself", async () => {
  await using world = await openWorld([calls(bash("sleep 1000")), says("Hello.")])
  await using editor = await openEditor(world, { argv: ["--allowed-tools", "Bash(sleep:*)"] })
  const { sessionId } = await editor.newSession()
  const withdrawn = new AbortController()
  const asked = editor.agent
    .request(
      "session/prompt",
      { sessionId, prompt: [{ type: "text", text: "go" }] },
      { cancellationSignal: withdrawn.signal },
    )
    .catch((error: unknown) => error)
  await editor.until((message) => JSON.stringify(message).includes('"in_progress"'))
  withdrawn.abort()
  await asked
  expect(await editor.prompt(sessionId, "hello")).toBe("end_turn")
})

test("killed with a question open: another process asks it under the same id, and one answer has one effect", async () => {
  await using world = await openWorld([calls(bash("echo x >> log.txt")), says("Written.")])
  await using first = await openEditor(world, { permission: async () => "never" })
  const { sessionId } = await first.newSession()
  void first.prompt(sessionId, "write").catch(() => {})
  const asked = await first.until(isPermission)
  first.process.kill("SIGKILL")
  await first.process.exited

  await using second = await openEditor(world, { permission: async () => "yes" })
  await second.call("session/resume", { sessionId, cwd: world.place.work, mcpServers: [] })
  const again = await second.until(isPermission)
  expect(again["id"]).toBe(asked["id"])
  const digestIn = (message: object): string | undefined => /"digest":"(\w+)"/.exec(JSON.stringify(message))?.[1]
  expect(digestIn(again)).toBe(digestIn(asked) ?? "none")
  await second.until((message) => JSON.stringify(message).includes("Written."))
  expect(await world.place.read("log.txt")).toBe("x\n")
  expect(await second.end()).toBe(0)
})

test("sessions are listed, loaded with their conversation, copied, closed and deleted", async () => {
  await using world = await openWorld([calls(read("a.txt")), says("It says one."), says("Again.")], {
    "a.txt": "one\n",
  })
  await using editor = await openEditor(world)
  const { sessionId } = await editor.newSession()
  await editor.prompt(sessionId, "what is in a.txt?")
  await editor.call("session/close", { sessionId })
  const { sessions } = await editor.call("session/list", { cwd: world.place.work })
  expect(sessions).toMatchObject([{ sessionId, cwd: world.place.work, title: "what is in a.txt?" }])

  const before = editor.updates.length
  await editor.call("session/load", { sessionId, cwd: world.place.work, mcpServers: [] })
  const replayed = editor.updates.slice(before).map(({ sessionUpdate }) => sessionUpdate)
  expect(replayed.slice(0, 3)).toEqual(["user_message_chunk", "tool_call", "agent_message_chunk"])
  expect(editor.updates[before + 1]).toMatchObject({ title: "Read a.txt", status: "completed" })
  expect(await editor.prompt(sessionId, "again")).toBe("end_turn")

  const copy = await editor.call("session/fork", { sessionId, cwd: world.place.work, mcpServers: [] })
  expect(copy["sessionId"]).not.toBe(sessionId)
  await editor.call("session/delete", { sessionId })
  const left = await editor.call("session/list", {})
  expect(JSON.stringify(left)).not.toContain(sessionId)
  const gone = await editor.prompt(sessionId, "hello").catch((error: unknown) => String(error))
  expect(gone).toContain("is not open")
})

test("two editors on one session: both see what is said, and either answers", async () => {
  await using world = await openWorld([says("Hello."), calls(bash("echo x >> log.txt")), says("Written.")])
  await using first = await openEditor(world, { permission: async () => "never" })
  await using second = await openEditor(world, { permission: async () => "yes" })
  const { sessionId } = await first.newSession()
  await first.prompt(sessionId, "hello")
  await second.call("session/load", { sessionId, cwd: world.place.work, mcpServers: [] })
  const [stopReason] = await Promise.all([
    first.prompt(sessionId, "write"),
    first.until(isPermission),
    second.until(isPermission),
  ])
  expect(stopReason).toBe("end_turn")
  const idsOf = ({ said }: typeof first) => said.filter(isPermission).map(({ id }) => id)
  expect(idsOf(second)).toEqual(idsOf(first))
  expect(first.said.map(({ method }) => method)).toContain("$/cancel_request")
  expect(await world.place.read("log.txt")).toBe("x\n")
  // Its mode is that of both.
  await second.call("session/set_mode", { sessionId, modeId: "plan" })
  await first.until((message) => JSON.stringify(message).includes('"currentModeId":"plan"'))
  expect(second.text()).toBe(first.text())
  expect(await second.end()).toBe(0)
  expect(await first.end()).toBe(0)
})

test("commands: cleared, the model has forgotten; a command of a file is sent with its arguments", async () => {
  await using world = await openWorld([says("Hello."), says("Hello again."), says("Greeted.")], {
    ".claude/commands/greet.md": "Greet $ARGUMENTS warmly.",
  })
  await using editor = await openEditor(world)
  const { sessionId } = await editor.newSession()
  await editor.prompt(sessionId, "remember the word lantern")
  expect(await editor.prompt(sessionId, "/clear")).toBe("end_turn")
  await editor.prompt(sessionId, "which word?")
  expect(JSON.stringify(world.requests()[1]?.body)).not.toContain("lantern")
  expect(await editor.prompt(sessionId, "/greet Ada")).toBe("end_turn")
  expect(JSON.stringify(world.requests()[2]?.body)).toContain("Greet Ada warmly.")
  expect(JSON.stringify(editor.updatesOf("available_commands_update"))).toContain('"greet"')
})

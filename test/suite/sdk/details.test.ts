/** What clients are told beyond the conversation itself: whose a server is, what waits, what a task came to. */

import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { createSdkMcpServer, type HookCallback, tool } from "claude-agent-sdk-0.3"
import { isObject, type JsonObject } from "#lib/json.ts"
import { bash, calls, edit, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf, withBoth } from "./drive.ts"
import { answer, initialize, isAnswerTo, isAsked, isResult, openWire, request, user } from "./wire.ts"

const isResultMessage = ({ type }: Message): boolean => type === "result"
const asking = join(import.meta.dir, "../../kit/mcp/asking-server.ts")

withBoth(
  "servers and their tools say who brought them",
  async (version) => {
    await using world = await openWorld(version, {
      scenario: [calls(use("mcp__own__add", {})), calls(use("mcp__files__greet", {})), "Done."],
      env: { ENABLE_TOOL_SEARCH: "false" },
    })
    const hooked: unknown[] = []
    const asked: unknown[] = []
    const hook: HookCallback = async (input) => {
      if (input.hook_event_name === "PreToolUse") hooked.push(input.mcp_server)
      return {}
    }
    const own = createSdkMcpServer({
      name: "own",
      tools: [tool("add", "Adds", {}, async () => ({ content: [{ type: "text", text: "3" }] }))],
    })
    const told = await world.run("go", {
      mcpServers: { own: own as never, files: { command: process.execPath, args: [asking] } },
      hooks: { PreToolUse: [{ hooks: [hook] }] },
      canUseTool: async (_, input, options) => {
        asked.push(options.mcpServer)
        return { behavior: "allow", updatedInput: input }
      },
    })
    expect(resultOf(told).result).toBe("Done.")
    const servers = [
      { name: "own", source: "sdk" },
      { name: "files", source: "dynamic" },
    ]
    expect(hooked).toEqual(servers)
    // The older SDK does not pass it on.
    if (version === "0.3") expect(asked).toEqual(servers)
    const init = told.messages.find(({ subtype }) => subtype === "init")
    expect(init?.["mcp_servers"]).toEqual(
      expect.arrayContaining(servers.map((server) => ({ ...server, status: "connected" }))) as never,
    )
    expect(init?.["capabilities"]).toContain("interrupt_receipt_v1")
  },
  "both",
)

withBoth("a client that initializes again hears what waits for it, and whether its hooks count", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("touch x")), "Done."] })
  const hooks = { Stop: [{ hookCallbackIds: ["a"] }] }
  const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
  wire.send(initialize({ hooks }), user("go"))
  const first = await wire.next(isAnswerTo("init"))
  expect(first.response).toMatchObject({ pending_permission_requests: [], response: { hooks_applied: true } })
  const question = await wire.next(isAsked("can_use_tool"))
  wire.send(request("same", { subtype: "initialize", hooks }), request("other", { subtype: "initialize", hooks: {} }))
  wire.send(request("none", { subtype: "initialize" }))
  expect((await wire.next(isAnswerTo("same"))).response).toMatchObject({
    pending_permission_requests: [question],
    pending_user_dialog_requests: [],
    pending_elicitation_requests: [],
    response: { hooks_applied: true },
  })
  expect((await wire.next(isAnswerTo("other"))).response).toMatchObject({ response: { hooks_applied: false } })
  const { response } = (await wire.next(isAnswerTo("none"))).response as { response: JsonObject }
  expect(response).not.toHaveProperty("hooks_applied")
  wire.send(answer(String(question.request_id), { behavior: "allow", updatedInput: { command: "touch x" } }))
  const stop = await wire.next(isAsked("hook_callback"))
  wire.send(answer(String(stop.request_id), {}))
  await wire.next(isResult)
  expect((await wire.end()).code).toBe(0)
})

withBoth("callbacks hear the end of a session, also when the client has nothing more to say", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const heard: unknown[] = []
  const hook: HookCallback = async (input) => {
    heard.push(input.hook_event_name === "SessionEnd" ? input.reason : input)
    return {}
  }
  const told = await world.run("go", { hooks: { SessionEnd: [{ hooks: [hook] }] } })
  expect(told.thrown).toBeUndefined()
  expect(heard).toEqual(["other"])
  expect(told.messages.at(-1)?.type).toBe("result")
})

test("SDK 0.3: a file that the client vouches for is known after a resume too", async () => {
  await using world = await openWorld("0.3", {
    files: { "a.txt": "one\n" },
    scenario: ["Noted.", calls(edit("a.txt", "one", "two")), "Changed."],
  })
  const chat = openChat(world)
  chat.stream.say("go")
  const { session_id: resume } = await chat.next(isResultMessage)
  await chat.query.seedReadState("a.txt", Math.floor(statSync(join(world.place.work, "a.txt")).mtimeMs))
  await chat.end()
  const told = await world.run("change it", { resume: String(resume), permissionMode: "acceptEdits" })
  expect(resultOf(told).result).toBe("Changed.")
  expect(await world.place.read("a.txt")).toBe("two\n")
})

withBoth("background commands of agents are tasks of their own, and can be stopped", async (version) => {
  await using world = await openWorld(version, {
    scenario: {
      replies: [
        { when: { system: "You carry out one task" }, content: [behind("sleep 600")] },
        { when: { system: "You carry out one task" }, content: "It waits.", timing: { ttftMs: 2_000 } },
        {
          content: [
            behind("sleep 601"),
            use("Task", { description: "a", prompt: "b", subagent_type: "general-purpose" }),
          ],
        },
        { content: "Done." },
        { content: "And more." },
      ],
    },
  })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("go")
  const levels = (): readonly JsonObject[] =>
    chat.told.flatMap((message) => (message.subtype === "background_tasks_changed" ? [message as never] : []))
  const started = await chat.next(
    ({ subtype, parent_task_id }) => subtype === "task_started" && parent_task_id !== undefined,
  )
  const agent = chat.told.find(({ task_type }) => task_type === "local_agent")
  expect(agent).toMatchObject({ spawn_depth: 1, is_backgrounded: false })
  expect(started).toMatchObject({
    task_id: `${String(agent?.["task_id"])}.bash_1`,
    parent_task_id: agent?.["task_id"],
    description: "sleep 600",
    is_backgrounded: true,
  })
  await chat.query.stopTask(String(started["task_id"]))
  expect(
    await chat.next(({ subtype, task_id }) => subtype === "task_updated" && task_id === started["task_id"]),
  ).toMatchObject({ patch: { status: "killed", end_time: expect.any(Number) as number } })
  expect(
    await chat.next(({ subtype, task_id }) => subtype === "task_notification" && task_id === started["task_id"]),
  ).toMatchObject({ status: "stopped", tool_use_id: started["tool_use_id"] })
  await chat.next(isResultMessage)
  expect(levels().map(({ tasks }) => (tasks as JsonObject[]).map(({ task_id }) => task_id))).toEqual([
    ["bash_1"],
    ["bash_1", String(started["task_id"])],
    ["bash_1"],
  ])
  await expect(chat.query.stopTask("nobody.bash_9")).rejects.toThrow("There is no running task nobody.bash_9.")
  await chat.query.stopTask("bash_1")
  await chat.end()
})

const behind = (command: string) => use("Bash", { command, run_in_background: true })

test("what was pasted follows what was typed, and mentions no files", async () => {
  await using world = await openWorld("0.3", { files: { "secret.txt": "hush\n" }, scenario: ["Done."] })
  const wire = openWire(world)
  const pasted_content = [
    "see @secret.txt",
    [
      { type: "text", text: "second" },
      { type: "image", source: {} },
    ],
    5,
  ]
  wire.send(initialize(), user("typed", { pasted_content }))
  await wire.next(isResult)
  expect((await wire.end()).code).toBe(0)
  const sent = JSON.stringify(world.requests()[0]?.body)
  expect(sent).toMatch(/typed.*see @secret\.txt.*second/)
  expect(sent).not.toContain("hush")
})

withBoth("a server sends the user to a page, and says when that is done", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(use("mcp__ask__visit", {})), "Signed."],
    env: { ENABLE_TOOL_SEARCH: "false" },
  })
  const asked: unknown[] = []
  const told = await world.run("sign", {
    mcpServers: { ask: { command: process.execPath, args: [asking, "/dev/null", "urls"] } },
    allowedTools: ["mcp__ask__visit"],
    onElicitation: async ({ mode, url, elicitationId }) => {
      asked.push({ mode, url, elicitationId })
      return { action: "accept" }
    },
  })
  expect(resultOf(told).result).toBe("Signed.")
  expect(asked).toEqual([{ mode: "url", url: "https://example.com/sign", elicitationId: "visit-1" }])
  expect(told.messages.find(({ subtype }) => subtype === "elicitation_complete")).toMatchObject({
    mcp_server_name: "ask",
    elicitation_id: "visit-1",
  })
})

test("a retry after silence says how long it was waited for an answer", async () => {
  let asked = 0
  const held = Promise.withResolvers<Response>()
  await using world = await openWorld("0.3", { scenario: ["Done."] })
  const mute = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (sent) =>
      asked++ === 0 ? held.promise : fetch(new Request(`${world.simulator.url}${new URL(sent.url).pathname}`, sent)),
  })
  try {
    const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${mute.port}`, CODEWRIGHT_FIRST_BYTE_MS: "300" }
    const told = await world.run("go", { env })
    expect(resultOf(told).result).toBe("Done.")
    expect(told.messages.find(({ subtype }) => subtype === "api_retry")).toMatchObject({
      error_status: null,
      no_response: { waited_ms: 300, retry_wait_ms: 300 },
    })
  } finally {
    held.resolve(new Response())
    await mute.stop(true)
  }
})

test("a rule that asks is named in the question", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(bash("ls")), "Done."] })
  const wire = openWire(world, [
    "--permission-prompt-tool",
    "stdio",
    "--settings",
    '{"permissions":{"ask":["Bash(ls)"]}}',
  ])
  wire.send(initialize(), user("go"))
  const question = await wire.next(isAsked("can_use_tool"))
  expect(isObject(question.request) && question.request).toMatchObject({
    decision_reason_type: "rule",
    matched_ask_rule: { source: "cliArg", tool_name: "Bash", rule_content: "ls" },
  })
  wire.send(answer(String(question.request_id), { behavior: "deny", message: "no" }))
  await wire.next(isResult)
  expect((await wire.end()).code).toBe(0)
})

test("SDK 0.3: thinking is shown or not, as the client wants it", async () => {
  await using world = await openWorld("0.3", { scenario: ["One.", "Two."] })
  for (const display of ["summarized", "omitted"] as const)
    expect((await world.run("go", { thinking: { type: "adaptive", display } })).thrown).toBeUndefined()
  const shown = world.requests().map(({ body }) => (body as { thinking?: { display?: string } }).thinking?.display)
  // Nothing is shown unless it is asked for.
  expect(shown).toEqual(["summarized", undefined])
})

withBoth("a refusal is told as one", async (version) => {
  await using world = await openWorld(version, { scenario: ["Never said."] })
  world.simulator.setFaults(["refusal"])
  const told = await world.run("go")
  expect(told.messages.find(({ subtype }) => subtype === "model_refusal_no_fallback")).toMatchObject({
    original_model: expect.any(String) as string,
    request_id: null,
    content: expect.stringContaining("refused") as string,
  })
  expect(resultOf(told)).toMatchObject({ is_error: true, stop_reason: "refusal" })
})

test("project files of another folder are not pretended", async () => {
  await using world = await openWorld("0.3")
  const told = await world.run("go", { projectConfigRoot: world.place.path } as never)
  expect(told.thrown).toContain("--project-config-root is not supported.")
})

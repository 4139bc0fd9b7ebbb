/** Callbacks of a client as hooks: matched, combined and recorded like commands, and never run twice. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Client } from "#agent/words/client.ts"
import type { ClientChoice } from "#session/opening/options.ts"
import type { JsonObject } from "#lib/json.ts"
import { isEntry, openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says as replies, use, write } from "../../kit/script.ts"
import { hookRuns, hookStory, lastRequest, on, says } from "../hooks/hooks.ts"

setDefaultTimeout(300_000)

interface Called {
  readonly id: string
  readonly event: unknown
  readonly toolUseId: string | undefined
  readonly input: JsonObject
}

/** A client in this process that keeps what it was asked. */
function client(
  hooks: ClientChoice["hooks"],
  answer: (id: string, input: JsonObject, signal: AbortSignal) => JsonObject | Promise<JsonObject> = () => ({}),
) {
  const called: Called[] = []
  const port: Client = {
    async hook(id, input, toolUseId, signal) {
      called.push({ id, event: input.hook_event_name, toolUseId, input })
      return answer(id, input, signal)
    },
    mcpMessage: () => Promise.reject(new Error("there are no servers here")),
  }
  return { called, choice: { port, ...(hooks && { hooks }) } satisfies ClientChoice }
}

const specific = (hookEventName: string, more: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName, ...more },
})

test("every moment of a turn reaches the callbacks whose matcher fits, in order, with what commands are told", async () => {
  const all = { hookCallbackIds: ["all"] }
  const { called, choice } = client({
    SessionStart: [all],
    UserPromptSubmit: [all],
    PreToolUse: [
      { matcher: "Read", hookCallbackIds: ["reads"] },
      { matcher: "Bash", hookCallbackIds: ["never"] },
    ],
    PostToolUse: [{ matcher: "*", hookCallbackIds: ["all"] }],
    Stop: [all],
    SessionEnd: [all],
  })
  const t = await openTestSession({
    files: { "a.txt": "hello\n" },
    script: [calls(read("a.txt")), replies("Done.")],
    client: choice,
  })
  await t.prompt("look")
  await t.session.close()
  expect(called.map(({ id, event }) => [id, event])).toEqual([
    ["all", "SessionStart"],
    ["all", "UserPromptSubmit"],
    ["reads", "PreToolUse"],
    ["all", "PostToolUse"],
    ["all", "Stop"],
    ["all", "SessionEnd"],
  ])
  const [start, prompt, pre] = called
  expect(start?.input).toMatchObject({ source: "startup", session_id: t.id })
  expect(prompt?.input).toMatchObject({ prompt: "look" })
  expect(pre?.input).toEqual({
    session_id: t.id,
    transcript_path: t.logPath,
    cwd: t.root,
    permission_mode: "acceptEdits",
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: "a.txt" },
    prompt_id: expect.any(String),
    tool_use_id: expect.any(String),
  } as never)
  expect(called.map(({ toolUseId }) => toolUseId === undefined)).toEqual([true, true, false, false, true, true])
  expect(hookRuns(t).at(2)).toMatchObject({
    event: "PreToolUse",
    matcher: "Read",
    name: "callback reads",
    source: "client",
  })
  await t[Symbol.asyncDispose]()
})

test("answers of callbacks and of commands are combined: a denial beats an allowance", async () => {
  const { choice } = client({ PreToolUse: [{ hookCallbackIds: ["deny", "allow"] }] }, (id) =>
    specific("PreToolUse", { permissionDecision: id, permissionDecisionReason: `said ${id}` }),
  )
  await using t = await openTestSession({
    script: [calls(write("a.txt", "x")), replies("Understood.")],
    hooks: { PreToolUse: [on(says("PreToolUse", { permissionDecision: "ask" }))] },
    client: choice,
  })
  await t.prompt("go")
  expect(existsSync(t.path("a.txt"))).toBe(false)
  expect(t.results()[0]?.content).toContain("said deny")
})

test("of several changed inputs, the first one counts, and settings come before the client", async () => {
  const input = (content: string) => ({ updatedInput: { file_path: "a.txt", content } })
  const { choice } = client({ PreToolUse: [{ hookCallbackIds: ["one", "two"] }] }, (id) =>
    specific("PreToolUse", input(id)),
  )
  const script = [calls(write("a.txt", "written")), replies("Done.")]
  await using t = await openTestSession({ script, client: choice })
  await t.prompt("go")
  expect(t.read("a.txt")).toBe("one")
  const hooks = { PreToolUse: [on(says("PreToolUse", input("settings")))] }
  await using u = await openTestSession({ script, client: choice, hooks })
  await u.prompt("go")
  expect(u.read("a.txt")).toBe("settings")
})

test("context from a callback reaches the model, and a Stop callback can make it continue", async () => {
  let stops = 0
  const { choice } = client(
    { UserPromptSubmit: [{ hookCallbackIds: ["context"] }], Stop: [{ hookCallbackIds: ["stop"] }] },
    (id) => {
      if (id === "context") return specific("UserPromptSubmit", { additionalContext: "The build is red." })
      return stops++ === 0 ? { decision: "block", reason: "Run the tests first." } : {}
    },
  )
  await using t = await openTestSession({ script: [replies("Done."), replies("Now done.")], client: choice })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(JSON.stringify(t.requests()[0])).toContain("The build is red.")
  expect(lastRequest(t)).toContain("Run the tests first.")
})

test("a callback that fails blocks a call, and nothing else", async () => {
  const hooks = Object.fromEntries(
    ["UserPromptSubmit", "PostToolUse", "Stop"].map((event) => [event, [{ hookCallbackIds: ["broken"] }]]),
  )
  const { choice } = client(hooks, () => Promise.reject(new Error("no such callback")))
  await using t = await openTestSession({ script: [calls(bash("touch a")), replies("Done.")], client: choice })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(existsSync(t.path("a"))).toBe(true)
  expect(hookRuns(t).map(({ event, failure }) => [event, failure])).toEqual([
    ["UserPromptSubmit", "the client says: no such callback"],
    ["PostToolUse", "the client says: no such callback"],
    ["Stop", "the client says: no such callback"],
  ])

  const guard = client({ PreToolUse: [{ hookCallbackIds: ["guard"] }] }, () => Promise.reject(new Error("gone")))
  await using u = await openTestSession({
    script: [calls(bash("touch a")), replies("Understood.")],
    client: guard.choice,
  })
  expect(await u.prompt("go")).toEqual({ reason: "completed" })
  expect(existsSync(u.path("a"))).toBe(false)
  expect(u.results()[0]).toMatchObject({ isError: true, denied: { input: { command: "touch a" } } })
  expect(u.results()[0]?.content).toContain("the client says: gone")
})

test("a callback that never answers, not even to the signal, blocks a call when its time is over", async () => {
  const withdrawn: unknown[] = []
  const { choice } = client({ PreToolUse: [{ hookCallbackIds: ["silent"], timeout: 0.05 }] }, (_id, _input, signal) => {
    signal.addEventListener("abort", () => withdrawn.push("withdrawn"))
    return new Promise(() => {})
  })
  await using t = await openTestSession({ script: [calls(bash("touch a")), replies("Understood.")], client: choice })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(existsSync(t.path("a"))).toBe(false)
  expect(t.results()[0]?.content).toContain("did not answer within 0.05 s")
  expect(withdrawn).toEqual(["withdrawn"])
})

test("an interrupt ends the wait for a silent callback", async () => {
  const asked = Promise.withResolvers<void>()
  const { choice } = client({ PreToolUse: [{ hookCallbackIds: ["silent"] }] }, () => {
    asked.resolve()
    return new Promise(() => {})
  })
  await using t = await openTestSession({ script: [calls(bash("touch a"))], client: choice })
  t.say("go")
  await asked.promise
  await t.session.submit({ type: "interrupt" })
  await t.until(isEntry("turn_end"))
  expect(hookStory(t).at(-1)).toStartWith("turn_end aborted")
  expect(existsSync(t.path("a"))).toBe(false)
})

test("after a resume in the middle of a call, no callback is asked again about it", async () => {
  const before = client({ PreToolUse: [{ hookCallbackIds: ["guard"] }] })
  await using t = await openTestSession({
    script: [calls(bash("touch a")), replies("Done.")],
    mode: "default",
    allow: [],
    answers: () => undefined,
    client: before.choice,
  })
  t.say("go")
  await t.until(({ type }) => type === "question_open")
  expect(before.called).toHaveLength(1)
  const after = client({ PreToolUse: [{ hookCallbackIds: ["guard"] }] })
  await using u = await t.reopen({ answers: () => ({ kind: "allow" }), client: after.choice })
  await u.settled()
  expect(existsSync(u.path("a"))).toBe(true)
  expect(after.called).toEqual([])
})

test("agents are guarded by the same callbacks, which are told who calls", async () => {
  const { called, choice } = client({
    PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["guard"] }],
    SubagentStop: [{ hookCallbackIds: ["stop"] }],
  })
  await using t = await openTestSession({
    script: [
      calls(use("Task", { description: "work", prompt: "work", subagent_type: "general-purpose" })),
      calls(bash("touch a")),
      replies("Did it."),
      replies("Done."),
    ],
    client: choice,
  })
  await t.prompt("go")
  expect(called.map(({ id, input }) => [id, typeof input.agent_id])).toEqual([
    ["guard", "string"],
    ["stop", "string"],
  ])
})

test("unknown events and bad matchers are reported; a callback with a bad matcher sees everything", async () => {
  const { called, choice } = client({
    Nonsense: [{ hookCallbackIds: ["a"] }],
    PreToolUse: [{ matcher: "(", hookCallbackIds: ["b"] }],
  })
  await using t = await openTestSession({ script: [calls(bash("true")), replies("Done.")], client: choice })
  await t.prompt("go")
  expect(called.map(({ id }) => id)).toEqual(["b"])
  const { configured, problems } = await t.ask({ type: "hooks" })
  expect(configured).toEqual([
    {
      event: "PreToolUse",
      matcher: "(",
      name: "callback b",
      work: { type: "callback", callbackId: "b" },
      source: "client",
      file: "the client",
      timeoutMs: 60_000,
      required: true,
    },
  ])
  expect(problems).toEqual([
    "The client's Nonsense hooks: there is no such event, so they do not run.",
    "The client's PreToolUse hooks: the matcher ( is not a valid regular expression, so they run for everything.",
  ])
})

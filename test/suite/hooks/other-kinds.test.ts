/** Hooks that are no programs: requests to an address, and questions to the small model. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { HookSource } from "#kits/hooks/config.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says as replies } from "../../kit/script.ts"
import { cast, requestsOf } from "../subagents/cast.ts"
import { hookRuns } from "./hooks.ts"

setDefaultTimeout(300_000)

const touching = [calls(bash("touch made")), replies("ok")]

function openAnswering(answer: (request: Request, body: JsonObject) => Response | Promise<Response>) {
  const received: { readonly body: JsonObject; readonly headers: Headers }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = (await request.json()) as JsonObject
      received.push({ body, headers: request.headers })
      return answer(request, body)
    },
  })
  return { url: `http://127.0.0.1:${server.port}/hook`, received, [Symbol.asyncDispose]: () => server.stop(true) }
}

const posts = (url: string, more: JsonObject = {}): JsonObject => ({
  PreToolUse: [{ matcher: "Bash", hooks: [{ type: "http", url, ...more }] }],
})
const from = (hooks: JsonObject, isProject = false): readonly HookSource[] => [
  { source: isProject ? "project settings" : "user settings", file: "settings.json", isProject, hooks },
]

test("an address gets the same JSON and answers like a program, with the headers it is to have", async () => {
  await using server = openAnswering(() =>
    Response.json({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "the server says no" },
    }),
  )
  const headers = { authorization: "Bearer $TOKEN", "x-other": "${SECRET}" }
  await using t = await openTestSession({
    script: touching,
    place: { childEnv: () => ({ PATH: "/usr/bin:/bin", TOKEN: "t-1", SECRET: "s-1" }) },
    hooks: from(posts(server.url, { headers, allowedEnvVars: ["TOKEN"] })),
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
  expect(String(t.results()[0]?.content)).toContain("the server says no")
  const [request] = server.received
  expect(request?.body).toMatchObject({ hook_event_name: "PreToolUse", tool_input: { command: "touch made" } })
  expect([
    request?.headers.get("authorization"),
    request?.headers.get("x-other"),
    request?.headers.get("content-type"),
  ]).toEqual(["Bearer t-1", "", "application/json"])
})

test("a server that fails, redirects, babbles, hangs or is not there blocks nothing, and each is told", async () => {
  const failures: string[] = []
  const run = async (url: string, more: JsonObject = {}) => {
    await using t = await openTestSession({ script: touching, hooks: from(posts(url, more)) })
    await t.prompt("go")
    expect(existsSync(t.path("made"))).toBe(true)
    failures.push(hookRuns(t)[0]?.failure ?? "none")
  }
  const kinds: readonly ((request: Request) => Response | Promise<Response>)[] = [
    () => new Response("broken", { status: 500 }),
    () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
    () => new Response("{not json"),
    () => new Response("x".repeat(3_000_000)),
    () => new Response(null, { status: 204 }),
  ]
  for (const kind of kinds) {
    await using server = openAnswering(kind)
    await run(server.url)
  }
  await using slow = openAnswering(() => new Promise<Response>(() => {}))
  await run(slow.url, { timeout: 0.2 })
  await run("http://127.0.0.1:1/nobody")
  expect(failures).toEqual([
    "its address answered with status 500",
    "its address answered with status 302",
    "what it printed begins like JSON and is none",
    "its answer is too long",
    "none",
    "it did not answer within 0.2 s",
    "127.0.0.1 cannot be reached: connection refused",
  ])
})

test("an address that came with the project is judged like one that a model names", async () => {
  await using server = openAnswering(() => Response.json({ decision: "block" }))
  await using t = await openTestSession({ script: touching, hooks: from(posts(server.url), true) })
  await t.prompt("go")
  expect(server.received).toEqual([])
  expect(hookRuns(t)[0]?.failure).toContain("which is not reached unless a rule names it")
  await using named = await openTestSession({
    script: touching,
    allow: ["Bash", "WebFetch(domain:127.0.0.1)"],
    hooks: from(posts(server.url), true),
  })
  await named.prompt("go")
  expect(server.received).toHaveLength(1)
})

/** The small model answers this, the other one the script. */
function judgedBy(answer: string): { readonly script: Scenario; readonly asked: string[] } {
  const asked: string[] = []
  let next = 0
  return {
    asked,
    script: (request) => {
      if (!request.model.includes("haiku")) return touching[next++] ?? replies("ok")
      asked.push(JSON.stringify(request.messages))
      return { content: answer }
    },
  }
}

const prompts = (prompt: string, more: JsonObject = {}): JsonObject => ({
  PreToolUse: [{ matcher: "Bash", hooks: [{ type: "prompt", prompt, ...more }] }],
})

test("the small model is asked whether it is well: its no refuses, its yes allows nothing more", async () => {
  const no = judgedBy('Sure: {"ok": false, "reason": "touch is not wanted"}')
  await using t = await openTestSession({ script: no.script, hooks: prompts("No files: $ARGUMENTS") as never })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
  expect(String(t.results()[0]?.content)).toContain("touch is not wanted")
  expect(no.asked).toHaveLength(1)
  expect(no.asked[0]).toContain("touch made")

  const yes = judgedBy('{"ok": true}')
  await using strict = await openTestSession({
    script: yes.script,
    mode: "default",
    allow: [],
    hooks: prompts("?") as never,
  })
  await strict.prompt("go")
  expect(existsSync(strict.path("made"))).toBe(false)
  expect(hookRuns(strict)[0]).toMatchObject({ exit: null })
  expect(hookRuns(strict)[0]?.decision).toBeUndefined()
})

test("an answer that is none is a failure, and blocks only when it is required", async () => {
  const babble = judgedBy("I would rather not say.")
  await using t = await openTestSession({ script: babble.script, hooks: prompts("?") as never })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(true)
  expect(hookRuns(t)[0]?.failure).toBe("the model did not answer with ok and a reason")
  await using required = await openTestSession({
    script: judgedBy("{}").script,
    hooks: prompts("?", { required: true }) as never,
  })
  await required.prompt("go")
  expect(existsSync(required.path("made"))).toBe(false)
})

test("an agent looks for itself before it answers, and fires no hooks of its own", async () => {
  const roles = cast({
    main: [calls(bash("touch made")), replies("ok")],
    "Look into rules.txt": [calls(read("rules.txt")), replies('{"ok": false, "reason": "rules.txt forbids it"}')],
  })
  await using t = await openTestSession({
    files: { "rules.txt": "no new files\n" },
    script: roles,
    hooks: { PreToolUse: [{ hooks: [{ type: "agent", prompt: "Look into rules.txt", name: "rules" }] }] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
  expect(String(t.results()[0]?.content)).toContain("rules.txt forbids it")
  expect(hookRuns(t).map(({ name, decision }) => [name, decision])).toEqual([["rules", "deny"]])
  expect(requestsOf(t, "Look into rules.txt")).toHaveLength(2)
  expect(JSON.stringify(requestsOf(t, "Look into rules.txt")[1])).toContain("no new files")
})

test("an agent that never answers is ended when its time is over", async () => {
  const roles = cast({
    main: [calls(bash("touch made")), replies("ok")],
    "Wait for ever": [calls(bash("while true; do sleep 7; done")), replies('{"ok": false, "reason": "late"}')],
  })
  await using t = await openTestSession({
    files: { "rules.txt": "\n" },
    script: roles,
    hooks: { PreToolUse: [{ hooks: [{ type: "agent", prompt: "Wait for ever", timeout: 0.5 }] }] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(true)
  expect(hookRuns(t)[0]?.failure).toBe("it did not answer within 0.5 s")
})

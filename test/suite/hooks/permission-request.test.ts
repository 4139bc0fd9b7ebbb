/** Hooks that answer in place of the person, and hear of refusals. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { openTestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says as replies, write } from "../../kit/script.ts"
import { hookStory, inputs, keepsInput, on, says } from "./hooks.ts"

setDefaultTimeout(300_000)

const decides = (decision: JsonObject): JsonObject => on(says("PermissionRequest", { decision }))

/** A session in which nobody can be asked, unless it says otherwise. */
const open = (decision: JsonObject, more: Partial<TestSessionOptions> = {}) =>
  openTestSession({
    mode: "default",
    allow: [],
    script: [calls(write("a.txt", "x")), calls(write("a.txt", "y")), replies("ok")],
    hooks: { PermissionRequest: [decides(decision)] },
    ...more,
  })

test("it allows what would have been asked, also where nobody is there, and is told what would spare the question", async () => {
  await using t = await open(
    {},
    {
      hooks: {
        PermissionRequest: [
          on(`${keepsInput("asked")}; ${says("PermissionRequest", { decision: { behavior: "allow" } })}`),
        ],
      },
      script: [calls(bash("npm test")), replies("ok")],
    },
  )
  await t.prompt("go")
  expect(hookStory(t).filter((line) => line.startsWith("decision"))).toEqual(["decision allow Bash by hook"])
  expect(inputs(t, "asked")).toMatchObject([
    {
      hook_event_name: "PermissionRequest",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
      permission_suggestions: [
        { type: "addRules", behavior: "allow", rules: [{ toolName: "Bash", ruleContent: "npm test:*" }] },
      ],
    },
  ])
})

test("an input that it changes is judged again", async () => {
  await using t = await open({ behavior: "allow", updatedInput: { file_path: "b.txt", content: "from the hook" } })
  await t.prompt("go")
  expect([existsSync(t.path("a.txt")), t.read("b.txt")]).toEqual([false, "from the hook"])
  await using denied = await open(
    { behavior: "allow", updatedInput: { file_path: "b.txt", content: "x" } },
    { deny: ["Edit(b.txt)"] },
  )
  await denied.prompt("go")
  expect(existsSync(denied.path("b.txt"))).toBe(false)
})

test("rules that it grants hold for the session only, and spare the next question", async () => {
  const updatedPermissions = [
    {
      type: "addRules",
      behavior: "allow",
      destination: "userSettings",
      rules: [{ toolName: "Edit", ruleContent: "*.txt" }],
    },
    { type: "setMode", mode: "bypassPermissions", destination: "session" },
  ]
  await using t = await open({ behavior: "allow", updatedPermissions })
  await t.prompt("go")
  expect(t.read("a.txt")).toBe("y")
  expect(hookStory(t).filter((line) => /^(hook|decision)/.test(line))).toEqual([
    "hook PermissionRequest allow",
    "decision allow Write by hook",
    "decision allow Write by rule",
  ])
  expect(t.entries().find(({ kind }) => kind === "grant")).toMatchObject({
    rule: "Edit(*.txt)",
    destination: "session",
  })
  expect(existsSync(t.path("../state/settings.json"))).toBe(false)
  expect((await t.ask({ type: "state" })).mode).toBe("default")
})

test("it denies with its words; with interrupt the turn ends", async () => {
  await using t = await open({ behavior: "deny", message: "not on a Friday" })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(String(t.results()[0]?.content)).toContain("not on a Friday")
  await using ended = await open({ behavior: "deny", message: "stop it", interrupt: true })
  expect(await ended.prompt("go")).toEqual({ reason: "blocked_by_hook", message: "A hook ended it: stop it" })
  expect(ended.requests()).toHaveLength(1)
})

test("it answers no question that a rule or a safety check wants a person for", async () => {
  const asked: string[] = []
  const run = async (more: Partial<TestSessionOptions>) => {
    asked.length = 0
    await using t = await open(
      { behavior: "allow" },
      {
        answers: ({ ask }) => {
          asked.push(ask.kind === "permission" ? ask.decision.reason.kind : ask.kind)
          return { kind: "deny", words: "no", interrupt: false }
        },
        ...more,
      },
    )
    await t.prompt("go")
    return [...asked]
  }
  expect(await run({ ask: ["Edit(a.txt)"] })).toEqual(["rule", "rule"])
  expect(await run({ script: [calls(write(".git/config", "x")), replies("ok")] })).toEqual(["tool_check"])
  expect(await run({ files: { "d/x": "1" }, script: [calls(bash("rm -rf d")), replies("ok")] })).toEqual(["tool_check"])
  expect(await run({})).toEqual([])
})

test("in the mode dontAsk it is asked before the denial, and deny rules stay stronger", async () => {
  await using t = await open({ behavior: "allow" }, { mode: "dontAsk" })
  await t.prompt("go")
  expect(t.read("a.txt")).toBe("y")
  await using denied = await open({ behavior: "allow" }, { mode: "dontAsk", deny: ["Edit"] })
  await denied.prompt("go")
  expect(existsSync(denied.path("a.txt"))).toBe(false)
  await using protectedPath = await open(
    { behavior: "allow" },
    { mode: "dontAsk", script: [calls(write(".git/config", "x")), replies("ok")] },
  )
  await protectedPath.prompt("go")
  expect(existsSync(protectedPath.path(".git/config"))).toBe(false)
})

test("a refusal is told to PermissionDenied with its reason, and to nobody after a call", async () => {
  await using t = await openTestSession({
    deny: ["Bash(touch:*)"],
    script: [calls(bash("touch x")), replies("ok")],
    hooks: {
      PermissionDenied: [on(keepsInput("denied"))],
      PostToolUse: [on("touch ../after")],
      PostToolUseFailure: [on("touch ../after")],
    },
  })
  await t.prompt("go")
  expect(inputs(t, "denied")).toMatchObject([{ tool_name: "Bash", tool_input: { command: "touch x" } }])
  expect(String(inputs(t, "denied")[0]?.reason)).toContain("Bash(touch:*)")
  expect(existsSync(t.path("../after"))).toBe(false)
})

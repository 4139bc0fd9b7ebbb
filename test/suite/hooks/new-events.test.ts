/** Worktrees, models, shown text, the first prompt, tools of servers, and calls that wait for a person. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says as replies } from "../../kit/script.ts"
import { cast, resultsOf, task } from "../subagents/cast.ts"
import { hookRuns, inputs, keepsInput, lastRequest, on, says } from "./hooks.ts"

setDefaultTimeout(300_000)

test("a hook can refuse a model, or want it chosen twice; hooks hear of the change and tell the model", async () => {
  await using t = await openTestSession({
    script: [replies("one"), replies("two")],
    hooks: {
      PreModelSwitch: [
        on("echo too dear >&2; exit 2", {}, "dear"),
        on(says("PreModelSwitch", { permissionDecision: "ask", permissionDecisionReason: "It is slow." }), {}, "slow"),
      ],
      PostModelSwitch: [on(`${keepsInput("switched")}; echo You are another model now.`)],
    },
  })
  await t.prompt("go")
  const { model } = await t.ask({ type: "state" })
  expect(await t.session.submit({ type: "set_model", model: "dear" })).toEqual({
    ok: false,
    failure: { kind: "model", message: "A hook refuses the model dear: too dear" },
  })
  expect(await t.session.submit({ type: "set_model", model: "slow" })).toMatchObject({ ok: false })
  expect((await t.ask({ type: "state" })).model).toBe(model)
  expect(await t.session.submit({ type: "set_model", model: "slow" })).toMatchObject({ ok: true })
  expect((await t.ask({ type: "state" })).model).toBe("slow")
  await t.until(
    (event) => event.type === "entry" && event.entry.kind === "hook" && event.entry.event === "PostModelSwitch",
  )
  await t.prompt("again")
  expect(inputs(t, "switched")).toMatchObject([{ from_model: model, to_model: "slow" }])
  expect(lastRequest(t)).toContain("You are another model now.")
})

test("a hook that does not answer in time refuses the model", async () => {
  await using t = await openTestSession({
    script: [],
    hooks: { PreModelSwitch: [on("sleep 60", { timeout: 0.1 })] },
  })
  expect(await t.session.submit({ type: "set_model", model: "other" })).toMatchObject({ ok: false })
})

test("hooks see each text of an answer", async () => {
  await using t = await openTestSession({
    script: [calls(read("a")), replies("All done.")],
    files: { a: "x" },
    hooks: { MessageDisplay: [on(keepsInput("shown"))] },
  })
  await t.prompt("go")
  await t.session.close()
  expect(inputs(t, "shown")).toMatchObject([
    { hook_event_name: "MessageDisplay", index: 0, final: true, delta: "All done." },
  ])
})

test("a start hook gives the first prompt of a session", async () => {
  const hooks = { SessionStart: [on(says("SessionStart", { initialUserMessage: "Look at the list." }))] }
  await using alone = await openTestSession({ script: [replies("Looked.")], hooks })
  await alone.until((event) => event.type === "entry" && event.entry.kind === "turn_end")
  expect(alone.story().filter((line) => line.startsWith("prompt"))).toEqual(["prompt Look at the list."])
})

test("a tool of a server is a hook, with fields of the moment in its input", async () => {
  const work = { type: "mcp_tool", server: "wayward", tool: "say", input: { text: "about <${prompt}>" } }
  await using t = await openTestSession({
    script: [replies("ok")],
    mcp: servers([wayward("wayward")]),
    hooks: { UserPromptSubmit: [{ hooks: [work] }] },
  })
  await t.prompt("go")
  expect(hookRuns(t)).toMatchObject([{ event: "UserPromptSubmit", name: "wayward: say", exit: 0 }])
  expect(lastRequest(t)).toContain("about <go>")
})

test("a tool that is not there, or that a rule denies, blocks nothing and is told", async () => {
  const failures: string[] = []
  for (const tool of ["none", "say"]) {
    await using t = await openTestSession({
      script: [calls(bash("touch made")), replies("ok")],
      deny: ["mcp__wayward__say"],
      mcp: servers([wayward("wayward")]),
      hooks: { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "wayward", tool }] }] },
    })
    await t.prompt("go")
    expect(existsSync(t.path("made"))).toBe(true)
    failures.push(hookRuns(t)[0]?.failure ?? "none")
  }
  expect(failures).toEqual(["there is no tool none of an MCP server wayward now", "a rule denies mcp__wayward__say"])
})

test("hooks make and remove the worktree of an agent, also without git", async () => {
  await using t = await openTestSession({
    place: { trusted: true },
    script: cast({
      main: [calls(task("alpha", { isolation: "worktree" })), replies("Done.")],
      alpha: [calls(bash("pwd > ../where")), replies("Changed.")],
    }),
    hooks: {
      WorktreeCreate: [on(`mkdir -p ../copies/one && echo made it && echo "$PWD/../copies/one"`)],
      WorktreeRemove: [on(`${keepsInput("removed")}; rm -r ../copies/one`)],
    },
  })
  await t.prompt("go")
  expect(t.read("../copies/where").trim()).toEndWith("/copies/one")
  expect(existsSync(t.path("../copies/one"))).toBe(false)
  expect(inputs(t, "removed")).toMatchObject([{ hook_event_name: "WorktreeRemove" }])
})

test("a worktree that a hook does not make starts no agent", async () => {
  for (const [command, why] of [
    ["echo no room >&2; exit 1", "no room"],
    ["echo /nowhere/at/all", "/nowhere/at/all is not a folder."],
    ["true", "It must print the path of the folder."],
  ] as const) {
    await using t = await openTestSession({
      place: { trusted: true },
      script: cast({ main: [calls(task("alpha", { isolation: "worktree" })), replies("Done.")] }),
      hooks: { WorktreeCreate: [on(command)] },
    })
    await t.prompt("go")
    expect(resultsOf(t, "Task")[0]).toContain(`A WorktreeCreate hook made no worktree: ${why}`)
  }
})

/** Hooks around turns and sessions: prompts, beginnings and ends, what the agent rests on, compaction, notices. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { isEntry, openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says as replies } from "../../kit/script.ts"
import { answers, hookRuns, hookStory, inputs, keepsInput, lastRequest, on, says } from "./hooks.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

test("a prompt that a hook refuses is not sent, the person is told why, and it does not come back", async () => {
  await using t = await openTestSession({
    script: [replies("hello")],
    hooks: { UserPromptSubmit: [on("if grep -q password; then echo 'there is a password in it' >&2; exit 2; fi")] },
  })
  expect(await t.prompt("my password is 1234")).toEqual({
    reason: "blocked_by_hook",
    message: "The prompt was not sent, because of a hook: there is a password in it",
  })
  expect(t.requests()).toEqual([])
  expect(await t.prompt("hello")).toEqual({ reason: "completed" })
  expect(lastRequest(t)).not.toContain("1234")
  // Also where no hook would refuse it any more.
  await using again = await t.reopen({ hooks: {} })
  expect(await again.prompt("and again")).toEqual({ reason: "completed" })
  expect(again.story().filter((line) => line.startsWith("prompt"))).toEqual(["prompt hello", "prompt and again"])
  expect(lastRequest(again)).not.toContain("1234")
})

test("what a prompt hook prints, plain or as context, goes to the model with the prompt", async () => {
  await using t = await openTestSession({
    script: [replies("ok")],
    attachments: "off",
    hooks: {
      UserPromptSubmit: [
        on("echo plain words"),
        on(says("UserPromptSubmit", { additionalContext: "said as JSON", sessionTitle: "Named by a hook" })),
        on(keepsInput("prompts")),
      ],
    },
  })
  await t.prompt("hello there")
  expect(inputs(t, "prompts")[0]).toMatchObject({ hook_event_name: "UserPromptSubmit", prompt: "hello there" })
  for (const text of ["hello there", "plain words", "said as JSON"]) expect(lastRequest(t)).toContain(text)
  expect(t.entries().find(({ kind }) => kind === "title")).toMatchObject({ text: "Named by a hook" })
  expect(hookStory(t).filter((line) => !line.startsWith("hook"))).toEqual([
    "queued hello there",
    "title",
    "prompt hello there",
    "turn_end completed",
  ])
})

test("what is said in the middle of a turn goes through the same hooks", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch begun; while [ ! -e ../go ]; do sleep 0.02; done")), replies("done")],
    hooks: {
      UserPromptSubmit: [on('if grep -q \'"prompt":"bad\'; then echo no >&2; exit 2; else echo from the hook; fi')],
    },
  })
  t.say("begin")
  await t.until(isEntry("intent"))
  t.say("bad words", "steer")
  t.say("good words", "steer")
  await Bun.write(t.path("../go"), "")
  await t.settled()
  expect(hookStory(t).filter((line) => /^(prompt|notice)/.test(line))).toEqual([
    "prompt begin",
    "notice The prompt was not sent, because of a hook: no",
    "prompt good words",
  ])
  expect(lastRequest(t)).not.toContain("bad words")
  await using again = await t.reopen()
  expect((await again.ask({ type: "state" })).turns).toBe(1)
})

test("an interrupt while a prompt is looked at: it is not sent, and waits", async () => {
  await using t = await openTestSession({
    script: [replies("one"), replies("two")],
    hooks: {
      UserPromptSubmit: [
        on('[ -e "$CLAUDE_PROJECT_DIR/../quick" ] || { touch "$CLAUDE_PROJECT_DIR/../begun"; sleep 8646; }'),
      ],
    },
  })
  t.say("first")
  while (!existsSync(t.path("../begun"))) await Bun.sleep(5)
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(t.requests()).toEqual([])
  await Bun.write(t.path("../quick"), "")
  await t.prompt("second")
  expect(hookStory(t).filter((line) => line.startsWith("prompt"))).toEqual(["prompt first", "prompt second"])
  expect(t.requests()).toHaveLength(2)
})

test("a session begins: its hooks are told how, their words come with the first prompt, their variables with each command", async () => {
  await using t = await openTestSession({
    script: [calls(bash("echo $FROM_HOOK")), replies("ok"), replies("again"), replies("cleared")],
    hooks: {
      SessionStart: [
        on(`${keepsInput("starts")}; echo 'export FROM_HOOK=seen' >> "$CLAUDE_ENV_FILE"; echo the branch is main`),
        on("echo only at first", {}, "startup"),
      ],
      SessionEnd: [on(keepsInput("ends"))],
    },
  })
  await t.prompt("one")
  expect(lastRequest(t)).toContain("From a SessionStart hook of the user:\\nthe branch is main")
  expect(lastRequest(t)).toContain("only at first")
  expect(t.results()[0]?.content).toBe("seen")
  await using again = await t.reopen()
  await again.prompt("two")
  expect(lastRequest(again).match(/only at first/g)).toHaveLength(1)
  void again.session.submit({ type: "clear" })
  await again.settled()
  await again.prompt("three")
  expect(lastRequest(again)).not.toContain("only at first")
  expect(lastRequest(again)).toContain("the branch is main")
  expect(inputs(again, "starts").map(({ source, hook_event_name }) => [hook_event_name, source])).toEqual([
    ["SessionStart", "startup"],
    ["SessionStart", "resume"],
    ["SessionStart", "clear"],
  ])
  await again.session.close()
  expect(inputs(again, "ends").map(({ reason }) => reason)).toEqual(["other", "clear", "other"])
  expect(existsSync(t.path(`../state/session-env/${t.id}`))).toBe(false)
})

test("a required start hook that fails keeps prompts back until it works", async () => {
  await using t = await openTestSession({
    script: [replies("ok")],
    hooks: { SessionStart: [on('[ -e "$CLAUDE_PROJECT_DIR/../ready" ] || exit 1', { required: true })] },
  })
  expect(await t.prompt("one")).toMatchObject({ reason: "blocked_by_hook" })
  await Bun.write(t.path("../ready"), "")
  // It was begun again as soon as it failed; whichever prompt finds it well is sent.
  let end = await t.prompt("two")
  if (end.reason !== "completed") end = await t.prompt("three")
  expect(end).toEqual({ reason: "completed" })
})

test("at rest a hook makes the agent go on with its reason; it knows that it did, and is content then", async () => {
  await using t = await openTestSession({
    script: [replies("done?"), calls(bash("touch tested")), replies("done!")],
    hooks: {
      Stop: [
        on(
          `${keepsInput("stops")}; if [ ! -e tested ]; then ${answers({ decision: "block", reason: "run the tests first" })}\nfi`,
        ),
      ],
    },
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(JSON.stringify(t.requests()[1])).toContain("says why. run the tests first")
  expect(inputs(t, "stops").map((input) => [input.stop_hook_active, input.last_assistant_message])).toEqual([
    [false, "done?"],
    [true, "done!"],
  ])
  expect(hookRuns(t).map(({ decision }) => decision)).toEqual(["deny", undefined])
})

test("a hook that is never content ends after ten times, and the person is told", async () => {
  await using t = await openTestSession({
    script: Array.from({ length: 11 }, (_, i) => replies(`answer ${i}`)),
    hooks: { Stop: [on("echo not yet >&2; exit 2")] },
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(t.requests()).toHaveLength(11)
  expect(hookStory(t).find((line) => line.startsWith("notice"))).toContain("10 times in this turn")
})

test("at rest, continue false beats a block", async () => {
  await using t = await openTestSession({
    script: [replies("done")],
    hooks: { Stop: [on(answers({ continue: false, stopReason: "all is well", decision: "block", reason: "x" }))] },
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(hookStory(t).at(-2)).toBe("notice A hook ended it: all is well")
})

test("a turn that ends with an error is told to StopFailure, and not to Stop", async () => {
  await using t = await openTestSession({
    script: [{ content: "never said", fault: "unauthorized" }],
    hooks: { StopFailure: [on(keepsInput("failures"))], Stop: [on("touch stopped")] },
  })
  const end = await t.prompt("go")
  expect(end.reason).toBe("error")
  expect(inputs(t, "failures")).toMatchObject([{ hook_event_name: "StopFailure", error: end.cause as string }])
  expect(existsSync(t.path("stopped"))).toBe(false)
})

test("hooks that are not waited for: their answer comes with a later step, and they end with the session", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "1\n" },
    script: [
      calls(read("a.txt")),
      calls(bash("touch ../go; while [ ! -e ../late ]; do sleep 0.02; done; sleep 0.2")),
      calls(read("a.txt")),
      replies("ok"),
    ],
    hooks: {
      PostToolUse: [
        on(
          `while [ ! -e ../go ]; do sleep 0.02; done; ${says("PostToolUse", { additionalContext: "came later" })}\ntouch ../late`,
          { async: true, once: true },
        ),
        on(`echo '{"async":true,"asyncTimeout":50000}'; echo $$ > ../pid; sleep 8647`, { once: true }),
      ],
    },
  })
  await t.prompt("go")
  expect(JSON.stringify(t.requests()[1])).not.toContain("came later")
  expect(lastRequest(t)).toContain("came later")
  expect(hookRuns(t).filter(({ late }) => late)).toHaveLength(1)
  const pid = Number(t.read("../pid"))
  await t.session.close()
  expect(existsSync(`/proc/${pid}/cmdline`) && (await Bun.file(`/proc/${pid}/cmdline`).text()).includes("8647")).toBe(
    false,
  )
  expect(
    hookRuns(t)
      .filter(({ late }) => late)
      .map(({ failure }) => failure),
  ).toEqual([undefined, "it was interrupted"])
})

test("compaction: a hook may forbid it or say what to mind, and hears of it; the new beginning has its start hooks", async () => {
  await using t = await openTestSession({
    script: [
      replies("a long answer ".repeat(5_000)),
      replies("<summary>\nWhat the user wants: tests.\n</summary>"),
      replies("after"),
    ],
    hooks: {
      PreCompact: [
        on(`${keepsInput("pre")}; if [ -e ../forbid ]; then echo not now >&2; exit 2; fi; echo keep the port number`),
      ],
      PostCompact: [on(keepsInput("post"))],
      SessionStart: [on("echo fresh from the start hook", {}, "compact")],
    },
  })
  await t.prompt("one")
  await Bun.write(t.path("../forbid"), "")
  void t.session.submit({ type: "compact" })
  await t.settled()
  expect(hookStory(t).at(-1)).toBe("notice A hook stopped the compaction: not now")
  const { rmSync } = await import("node:fs")
  rmSync(t.path("../forbid"))
  void t.session.submit({ type: "compact", instructions: "short" })
  await t.settled()
  expect(JSON.stringify(t.requests()[1])).toContain("keep the port number")
  expect(inputs(t, "pre").map((input) => [input.trigger, input.custom_instructions])).toEqual([
    ["manual", ""],
    ["manual", "short"],
  ])
  expect(inputs(t, "post")).toMatchObject([{ hook_event_name: "PostCompact", trigger: "manual" }])
  await t.prompt("two")
  expect(lastRequest(t)).toContain("fresh from the start hook")
})

test("what happens besides: a question waits, the folder changes, memory files are read", async () => {
  await using t = await openTestSession({
    mode: "default",
    files: { "AGENTS.md": "Be kind.\n", "sub/x": "1" },
    script: [calls(bash("cd sub")), calls(bash("touch y")), replies("ok")],
    allow: ["Bash(cd:*)"],
    answers: () => ({ kind: "allow" }),
    hooks: {
      Notification: [on(keepsInput("notices"), {}, "permission_prompt")],
      CwdChanged: [on(keepsInput("folders"))],
      InstructionsLoaded: [on(keepsInput("memory"))],
    },
  })
  await t.prompt("go")
  await t.session.close()
  expect(inputs(t, "notices")).toMatchObject([
    { message: "Codewright needs your permission: Bash touch y", notification_type: "permission_prompt" },
  ])
  expect(inputs(t, "folders")).toMatchObject([{ old_cwd: t.root, new_cwd: t.path("sub") }])
  expect(inputs(t, "memory")).toMatchObject([
    { file_path: t.path("AGENTS.md"), memory_type: "Project", load_reason: "session_start" },
  ])
})

test("going back to before a prompt takes what its hooks said with it", async () => {
  await using t = await openTestSession({
    script: [replies("one"), replies("two"), replies("three")],
    hooks: { UserPromptSubmit: [on('sed \'s/.*"prompt":"\\([a-z]*\\)".*/about \\1/\'')] },
  })
  await t.prompt("alpha")
  await t.prompt("beta")
  expect(lastRequest(t)).toContain("about beta")
  const points = await t.ask({ type: "points" })
  if (!points.ok) throw new Error(points.failure)
  const { promptId } = points.value.at(-1) ?? { promptId: "" }
  void t.session.submit({ type: "rewind", promptId, what: "conversation" })
  await t.settled()
  await t.prompt("gamma")
  expect(lastRequest(t)).toContain("about alpha")
  expect(lastRequest(t)).toContain("about gamma")
  expect(lastRequest(t)).not.toContain("about beta")
  await using again = await t.reopen()
  expect(hookStory(again).filter((line) => line.startsWith("turn_end"))).toEqual(Array(3).fill("turn_end completed"))
})

test("without hooks nothing of them is loaded, recorded or offered", async () => {
  await using t = await openTestSession({ script: [replies("ok")] })
  await t.prompt("go")
  expect(hookRuns(t)).toEqual([])
  expect(await t.ask({ type: "hooks" })).toEqual({ configured: [], problems: [], runs: [] })
})

test("a face sees what is configured, what is wrong with the rest, and the last runs", async () => {
  await using t = await openTestSession({
    script: [calls(bash("true")), replies("ok")],
    hooks: {
      PreToolUse: [on("true", { name: "guard" }, "Bash")],
      PreTolUse: [on("true")],
      MessageDisplay: [on("true")],
    },
  })
  await t.prompt("go")
  // Those of a shown text run beside the turn.
  await until(async () => (await t.ask({ type: "hooks" })).runs.length === 2)
  const { configured, problems, runs } = await t.ask({ type: "hooks" })
  expect(configured.map(({ event, name }) => [event, name])).toEqual([
    ["PreToolUse", "guard"],
    ["MessageDisplay", "true"],
  ])
  expect(problems).toEqual([
    "settings.json: hooks.PreTolUse is not a hook event; did you mean PreToolUse? It is left out.",
  ])
  expect(runs.map(({ event, exit }) => [event, exit])).toEqual([
    ["PreToolUse", 0],
    ["MessageDisplay", 0],
  ])
  // The start counts them in one line with everything else that is wrong with files; doctor has the rest.
  expect((await t.ask({ type: "about" })).notes).toEqual([])
})

test.each([
  ["python3 /nowhere/stop.py", "python3"],
  ["sh /nowhere/stop.sh", "sh"],
])("a script that is missing does not hold the turn up: %s", async (command) => {
  await using t = await openTestSession({ script: [replies("done")], hooks: { Stop: [on(command)] } })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(t.requests()).toHaveLength(1)
  expect(
    t
      .entries()
      .flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
      .join(),
  ).toContain("/nowhere/stop")
})

test("a guard whose script is missing still says no", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch made")), replies("ok")],
    hooks: { PreToolUse: [on("python3 /nowhere/guard.py")] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
})

test("a hook that is not waited for wakes the model when it says no, and one may keep what it prints to itself", async () => {
  await using t = await openTestSession({
    script: [replies("done"), replies("I look at it.")],
    answers: () => undefined,
    hooks: {
      Stop: [
        on("[ -e ../told ] && exit 0; touch ../told; sleep 0.3; echo 'the tests fail' >&2; exit 2", {
          asyncRewake: true,
        }),
        on("echo noise", { suppressOutput: true, statusMessage: "Counting lines" }),
      ],
    },
  })
  const woken = t.until((event) => isEntry("turn_end")(event) && t.requests().length === 2)
  await t.prompt("go")
  await woken
  expect(lastRequest(t)).toContain("the tests fail")
  expect(t.entries().some((entry) => entry.kind === "notice" && entry.text.includes("noise"))).toBe(false)
  expect(hookRuns(t).map(({ name }) => name)).toContain("Counting lines")
})

test("the status message of a hook is told while the hook runs, and no longer", async () => {
  const hook = { type: "command", command: "while [ ! -e ../go ]; do sleep 0.02; done", statusMessage: "Checking" }
  await using t = await openTestSession({
    script: [replies("hello")],
    hooks: { UserPromptSubmit: [{ hooks: [hook, { type: "command", command: "true", statusMessage: "Soon over" }] }] },
  })
  const told: (readonly string[])[] = []
  const ended = t.prompt("hi")
  const watching = (async () => {
    for await (const event of t.session.events("now")) if (event.type === "hook_status") told.push(event.texts)
  })()
  await t.until((event) => event.type === "hook_status" && event.texts.length === 1 && event.texts[0] === "Checking")
  writeFileSync(t.path("../go"), "")
  await ended
  await t.session.close()
  await watching
  expect(told.at(-1)).toEqual([])
})

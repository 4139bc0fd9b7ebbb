/** Hooks in agents that the main one starts: the same dispatcher, and moments of their own. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says as replies } from "../../kit/script.ts"
import { cast, children, logOf, requestsOf, task } from "../subagents/cast.ts"
import { answers, inputs, keepsInput, on } from "./hooks.ts"

setDefaultTimeout(300_000)

test("calls of an agent go through the same hooks, which are told who makes them", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha")), replies("ok")],
      alpha: [calls(bash("touch made")), replies("refused")],
    }),
    hooks: { PreToolUse: [on(`${keepsInput("pre")}; exit 0`), on("echo no >&2; exit 2", {}, "Bash")] },
  })
  await t.prompt("go")
  expect(existsSync(t.path("made"))).toBe(false)
  const { agentId } = children(t)[0] ?? {}
  const [main, agent] = inputs(t, "pre")
  expect([main?.tool_name, main?.agent_id]).toEqual(["Task", undefined])
  expect(agent).toMatchObject({
    tool_name: "Bash",
    agent_id: agentId as string,
    agent_type: "general-purpose",
    session_id: t.id,
    transcript_path: t.logPath,
  })
  expect(main?.transcript_path).toBe(t.logPath)
  expect(agent?.agent_transcript_path).toEndWith(`agent-${agentId}.jsonl`)
  expect((await logOf(t, "alpha")).filter(({ kind }) => kind === "hook").length).toBeGreaterThan(1)
})

test("an agent begins and rests with its own moments; those of sessions and prompts are not its own", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha")), replies("ok")],
      alpha: [replies("done?"), calls(bash("touch checked")), replies("done!")],
    }),
    hooks: {
      SubagentStart: [
        on(`${keepsInput("starts")}; echo mind the tests`, {}, "general-purpose"),
        on(keepsInput("other"), {}, "Explore"),
      ],
      SubagentStop: [
        on(`${keepsInput("stops")}; [ -e checked ] || ${answers({ decision: "block", reason: "check it" })}`),
      ],
      Stop: [on(keepsInput("main-stops"))],
      SessionStart: [on(keepsInput("sessions"))],
      SessionEnd: [on(keepsInput("ends"))],
      UserPromptSubmit: [on(keepsInput("prompts"))],
    },
  })
  await t.prompt("go")
  await t.session.close()
  expect(inputs(t, "starts")).toMatchObject([{ hook_event_name: "SubagentStart", agent_type: "general-purpose" }])
  expect(existsSync(t.path("../other"))).toBe(false)
  expect(JSON.stringify(requestsOf(t, "alpha")[0])).toContain("mind the tests")
  expect(inputs(t, "stops").map((input) => [input.stop_hook_active, input.last_assistant_message])).toEqual([
    [false, "done?"],
    [true, "done!"],
  ])
  for (const name of ["main-stops", "sessions", "ends", "prompts"]) expect(inputs(t, name)).toHaveLength(1)
})

/** Hooks of the client are hooks: in the order clients rely on, and with the same power as ours. */

import { expect } from "bun:test"
import type { HookCallback, HookEvent, HookJSONOutput } from "claude-agent-sdk-0.3"
import { bash, calls, write } from "../../kit/script.ts"
import { kinds, type Message, openWorld, resultOf, type Told, withBoth, type World } from "./drive.ts"

interface Fired {
  readonly event: string
  readonly input: Record<string, unknown>
  readonly toolUseId: string | undefined
  /** How many messages the client had when it was called. */
  readonly after: number
}

/** Runs with a callback at each of these events; those without an answer say nothing. */
async function runWithHooks(
  world: World,
  prompt: string,
  answers: { readonly [event in HookEvent]?: (input: Record<string, unknown>) => HookJSONOutput },
  more: Parameters<World["options"]>[0] = {},
): Promise<{ readonly told: Told; readonly fired: readonly Fired[] }> {
  const fired: Fired[] = []
  const messages: Message[] = []
  const hooks = Object.fromEntries(
    Object.entries(answers).map(([event, say]) => {
      const callback: HookCallback = (input, toolUseId) => {
        fired.push({ event, input: input as never, toolUseId, after: messages.length })
        return Promise.resolve(say(input as never))
      }
      return [event, [{ hooks: [callback] }]]
    }),
  )
  let thrown: string | undefined
  try {
    for await (const message of world.query({ prompt, options: world.options({ ...more, hooks }) }))
      messages.push(message as Message)
  } catch (error) {
    thrown = String(error)
  }
  return { told: { messages, thrown }, fired }
}

const nothing = (): HookJSONOutput => ({})

withBoth("callbacks come in order, each after what it is about was told", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("echo hi")), "Done."] })
  const { told, fired } = await runWithHooks(world, "go", {
    UserPromptSubmit: nothing,
    PreToolUse: nothing,
    PostToolUse: nothing,
    Stop: nothing,
  })
  expect(fired.map(({ event }) => event)).toEqual(["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
  expect(kinds(told)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"])
  const [submit, pre, post, stop] = fired
  // Before init; after the answer with the call; before the result.
  expect([submit?.after, pre?.after]).toEqual([0, 2])
  expect(stop?.after).toBe(4)
  expect(submit?.input).toMatchObject({ hook_event_name: "UserPromptSubmit", prompt: "go", permission_mode: "default" })
  expect(pre?.input).toMatchObject({ tool_name: "Bash", tool_input: { command: "echo hi" }, cwd: world.place.work })
  expect(pre?.toolUseId).toBe(pre?.input["tool_use_id"] as string)
  expect(post?.input).toMatchObject({ tool_response: { stdout: "hi", interrupted: false } })
  expect(stop?.input).toMatchObject({ stop_hook_active: false })
})

withBoth("a callback may deny, allow, change the input, add context and refuse a prompt", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(write("a.txt", "x")), "Denied."] })
  const denied = await runWithHooks(world, "go", {
    PreToolUse: () => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "Not on a Monday.",
      },
    }),
  })
  expect(resultOf(denied.told).permission_denials).toMatchObject([{ tool_name: "Write" }])
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Not on a Monday.")

  await using other = await openWorld(version, { scenario: [calls(write("a.txt", "x")), "Allowed."] })
  await runWithHooks(other, "go", {
    UserPromptSubmit: () => ({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "The moon is full." },
    }),
    PreToolUse: (input) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { ...(input["tool_input"] as object), content: "changed" },
      },
    }),
  })
  expect(await other.place.read("a.txt")).toBe("changed")
  expect(JSON.stringify(other.requests()[0]?.body)).toContain("The moon is full.")

  await using third = await openWorld(version)
  const refused = await runWithHooks(third, "go", {
    UserPromptSubmit: () => ({ decision: "block", reason: "No prompts today." }),
  })
  expect(third.requests()).toEqual([])
  expect(refused.told.messages.filter(({ type }) => type === "result")).toHaveLength(1)
})

withBoth("a callback at Stop may send the model back to work", async (version) => {
  await using world = await openWorld(version, { scenario: ["Half.", "Whole."] })
  let times = 0
  const { told } = await runWithHooks(world, "go", {
    Stop: () => (times++ === 0 ? { decision: "block", reason: "Finish it." } : {}),
  })
  expect(resultOf(told)).toMatchObject({ result: "Whole.", num_turns: 2 })
})

withBoth("a callback that throws at PreToolUse is no permission", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash("touch a")), "Then not."] })
  const { told } = await runWithHooks(
    world,
    "go",
    {
      PreToolUse: () => {
        throw new Error("broken hook")
      },
    },
    { allowedTools: ["Bash"] },
  )
  expect(resultOf(told).is_error).toBe(false)
  expect(await Bun.file(`${world.place.work}/a`).exists()).toBe(false)
})

/** Who may do what: our rules decide, the client is asked where they leave it open, and its answers are no wider than our grants. */

import { expect } from "bun:test"
import type { PermissionResult } from "claude-agent-sdk-0.3"
import { bash as bashCall, calls, write as writeCall } from "../../kit/script.ts"
import { kinds, type Message, openWorld, resultOf, withBoth } from "./drive.ts"

const write = (path: string, text = "x") => calls(writeCall(path, text))
const bash = (command: string) => calls(bashCall(command))

interface Asked {
  readonly tool: string
  readonly input: Record<string, unknown>
  readonly options: Record<string, unknown>
}

/** A client that answers each question in turn, and remembers what it was asked. */
function answering(...answers: readonly ((asked: Asked) => PermissionResult)[]) {
  const asked: Asked[] = []
  const canUseTool = (tool: string, input: Record<string, unknown>, options: object): Promise<PermissionResult> => {
    const one: Asked = { tool, input, options: options as Record<string, unknown> }
    asked.push(one)
    const answer = answers[asked.length - 1] ?? answers.at(-1)
    return Promise.resolve(answer?.(one) ?? { behavior: "deny", message: "no" })
  }
  return { asked, canUseTool }
}

const yes = ({ input }: Asked): PermissionResult => ({ behavior: "allow", updatedInput: input })
const no = (): PermissionResult => ({ behavior: "deny", message: "Not today." })

withBoth(
  "what our rules leave open is asked; a yes runs it, with what would spare the next question",
  async (version) => {
    await using world = await openWorld(version, { scenario: [write("a.txt", "hello"), "Done."] })
    const { asked, canUseTool } = answering(yes)
    const told = await world.run("write it", { canUseTool })
    expect(kinds(told)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"])
    expect(asked.map(({ tool, input }) => ({ tool, input }))).toEqual([
      { tool: "Write", input: { file_path: "a.txt", content: "hello" } },
    ])
    expect(asked[0]?.options).toMatchObject({
      suggestions: expect.arrayContaining([{ type: "setMode", mode: "acceptEdits", destination: "session" }]),
      toolUseID: expect.any(String),
    })
    expect(await world.place.read("a.txt")).toBe("hello")
    const result = told.messages.find(({ type }) => type === "user")
    expect(result?.tool_use_result).toMatchObject({ type: "create", content: "hello", originalFile: null })
  },
)

withBoth("a no is told to the model in the client's words and counted; the turn continues", async (version) => {
  await using world = await openWorld(version, { scenario: [write("a.txt"), "Understood."] })
  const { canUseTool } = answering(no)
  const told = await world.run("write it", { canUseTool })
  expect(kinds(told)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"])
  expect(resultOf(told)).toMatchObject({
    result: "Understood.",
    permission_denials: [{ tool_name: "Write", tool_input: { file_path: "a.txt", content: "x" } }],
  })
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Not today.")
  expect(await Bun.file(`${world.place.work}/a.txt`).exists()).toBe(false)
})

withBoth("a no that interrupts ends the turn", async (version) => {
  await using world = await openWorld(version, { scenario: [write("a.txt")] })
  const { canUseTool } = answering(() => ({ behavior: "deny", message: "Stop.", interrupt: true }))
  const told = await world.run("write it", { canUseTool })
  expect(resultOf(told)).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_tools" })
})

withBoth("changed input is what runs", async (version) => {
  await using world = await openWorld(version, { scenario: [write("a.txt", "theirs"), "Done."] })
  const { canUseTool } = answering(({ input }) => ({ behavior: "allow", updatedInput: { ...input, content: "ours" } }))
  await world.run("write it", { canUseTool })
  expect(await world.place.read("a.txt")).toBe("ours")
})

withBoth("a rule that comes with a yes spares the next question; a mode is told as a status", async (version) => {
  await using world = await openWorld(version, {
    scenario: [bash("touch a"), bash("touch b"), write("c.txt"), write("d.txt"), "Done."],
  })
  const { asked, canUseTool } = answering(
    ({ input }) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [
        {
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "touch:*" }],
          behavior: "allow",
          destination: "session",
        },
      ],
    }),
    ({ input }) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    }),
  )
  const told = await world.run("go", { canUseTool })
  expect(asked.map(({ tool }) => tool)).toEqual(["Bash", "Write"])
  const statuses = told.messages.filter(({ subtype }) => subtype === "status")
  expect(statuses.map(({ permissionMode }) => permissionMode)).toEqual(["acceptEdits"])
})

withBoth(
  "rules of the caller decide before the client: allowed tools are not asked about, denied ones are gone",
  async (version) => {
    await using world = await openWorld(version, { scenario: [write("a.txt"), bash("touch b"), "Done."] })
    const { asked, canUseTool } = answering(yes)
    const told = await world.run("go", { canUseTool, allowedTools: ["Write"], disallowedTools: ["Bash(touch:*)"] })
    expect(asked).toEqual([])
    expect(told.messages.filter(({ subtype }) => subtype === "permission_denied")).toMatchObject([
      { tool_name: "Bash", decision_reason_type: "rule" },
    ])
    expect(resultOf(told)).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] })
  },
)

withBoth("without a client that answers, what is not allowed is denied", async (version) => {
  await using world = await openWorld(version, { scenario: [write("a.txt"), "I may not."] })
  const told = await world.run("write it")
  expect(kinds(told)).toEqual([
    "system/init",
    "assistant",
    "system/permission_denied",
    "user",
    "assistant",
    "result/success",
  ])
})

withBoth("no client widens what the session may not have: bypassing needs its flag at launch", async (version) => {
  await using world = await openWorld(version, { scenario: [bash("touch a"), bash("touch b"), "Done."] })
  const { asked, canUseTool } = answering(({ input }) => ({
    behavior: "allow",
    updatedInput: input,
    updatedPermissions: [{ type: "setMode", mode: "bypassPermissions", destination: "session" }],
  }))
  const told = await world.run("go", { canUseTool })
  expect(asked).toHaveLength(2)
  expect(told.messages.filter(({ subtype }) => subtype === "status")).toEqual([])
  const warning = told.messages.find(({ subtype }) => subtype === "informational") as Message
  expect(warning.content).toContain("bypass mode is not available")
})

withBoth("a client whose answer throws has not said yes", async (version) => {
  await using world = await openWorld(version, { scenario: [write("a.txt"), "Then not."] })
  const told = await world.run("write it", { canUseTool: () => Promise.reject(new Error("the dialog broke")) })
  expect(resultOf(told)).toMatchObject({ result: "Then not.", permission_denials: [{ tool_name: "Write" }] })
  expect(await Bun.file(`${world.place.work}/a.txt`).exists()).toBe(false)
})

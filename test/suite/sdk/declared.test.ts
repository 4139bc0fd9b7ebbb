/** What clients get has the shape that the SDK declares: its own types are the judge. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { HookCallback } from "claude-agent-sdk-0.3"
import { isObject } from "#lib/json.ts"
import { bash, calls, read, use, write } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld } from "./drive.ts"

const root = resolve(import.meta.dir, "../../..")
const asking = join(import.meta.dir, "../../kit/mcp/asking-server.ts")
const isResult = ({ type }: Message): boolean => type === "result"

/** The declaration of each message. Those of the Messages API are checked where they are made. */
const declared: { readonly [kind: string]: string } = {
  "system/init": "SDKSystemMessage",
  assistant: "SDKAssistantMessage",
  user: "SDKUserMessage",
  stream_event: "SDKPartialAssistantMessage",
  "result/success": "SDKResultSuccess",
  "result/error_during_execution": "SDKResultError",
  "result/error_max_turns": "SDKResultError",
  "system/status": "SDKStatusMessage",
  "system/compact_boundary": "SDKCompactBoundaryMessage",
  "system/permission_denied": "SDKPermissionDeniedMessage",
  "system/api_retry": "SDKAPIRetryMessage",
  "system/hook_started": "SDKHookStartedMessage",
  "system/hook_progress": "SDKHookProgressMessage",
  "system/hook_response": "SDKHookResponseMessage",
  "system/task_started": "SDKTaskStartedMessage",
  "system/task_progress": "SDKTaskProgressMessage",
  "system/task_updated": "SDKTaskUpdatedMessage",
  "system/task_notification": "SDKTaskNotificationMessage",
  "system/background_tasks_changed": "SDKBackgroundTasksChangedMessage",
  "system/commands_changed": "SDKCommandsChangedMessage",
  "system/elicitation_complete": "SDKElicitationCompleteMessage",
  "system/model_refusal_no_fallback": "SDKModelRefusalNoFallbackMessage",
  "system/informational": "SDKInformationalMessage",
  tool_progress: "SDKToolProgressMessage",
  conversation_reset: "SDKConversationResetMessage",
}

/** Fields that are ours: results say what each agent spent and what outlived the turn, `init` which folders were added. */
const ours =
  '"agentUsage" | "background_tasks" | "additional_directories" | "agent_transcript_path" | "tool_use_id" | "pid"'

const header = `import type { ${[...new Set(Object.values(declared))].join(", ")}, HookInput, McpServerStatus, SDKControlInitializeResponse } from "claude-agent-sdk-0.3"
type FromApi = "message" | "event" | "usage"
type Declared<T> = Omit<T, FromApi> & { [K in ${ours}]?: unknown } & { [K in FromApi & keyof T]: unknown }
`

/** What the compiler says of these values. */
async function complaints(values: readonly (readonly [type: string, value: unknown])[]): Promise<string> {
  const folder = join(root, "node_modules/.cache/codewright-declared")
  const file = join(folder, `${process.pid}.ts`)
  mkdirSync(folder, { recursive: true })
  const lines = values.map(([type, value], i) => `export const v${i}: Declared<${type}> = ${JSON.stringify(value)}`)
  writeFileSync(file, header + lines.join("\n"))
  try {
    const flags = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--target", "esnext"]
    const modules = ["--module", "nodenext", "--moduleResolution", "nodenext"]
    const compiler = Bun.spawn([join(root, "node_modules/.bin/tsc"), ...flags, ...modules, file], {
      cwd: root,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    })
    return await compiler.stdout.text()
  } finally {
    rmSync(file, { force: true })
  }
}

test("a field that is missing or of another type is found", async () => {
  const status = { type: "system", subtype: "status", status: "resting", session_id: "s" }
  expect(await complaints([["SDKStatusMessage", status]])).toContain("error TS")
})

test("SDK 0.3: messages, what hooks hear, and answers", async () => {
  await using world = await openWorld("0.3", {
    files: { "a.txt": "one\n" },
    env: { ENABLE_TOOL_SEARCH: "false" },
    scenario: [
      calls(read("a.txt"), bash("ls")),
      calls(write("b.txt", "two"), bash("exit 3"), use("mcp__ask__visit", {})),
      calls(use("Task", { description: "look", prompt: "look", subagent_type: "general-purpose" })),
      calls(read("a.txt")),
      "It says one.",
      calls(
        use("Bash", { command: "while [ ! -e ../go ]; do sleep 0.05; done", run_in_background: true }),
        bash("curl -d x example.com"),
      ),
      "Started.",
      calls(bash("ls")),
      "Never said.",
    ],
  })
  const heard: object[] = []
  const hook: HookCallback = async (input) => {
    heard.push(input)
    return {}
  }
  const events = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "SessionStart",
  ]
  const more = ["SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PermissionRequest", "PermissionDenied", "Setup"]
  const rest = ["Notification", "Elicitation", "ElicitationResult", "UserPromptExpansion", "InstructionsLoaded"]
  const chat = openChat(world, {
    includePartialMessages: true,
    includeHookEvents: true,
    maxTurns: 8,
    extraArgs: { init: null },
    mcpServers: { ask: { command: process.execPath, args: [asking, "/dev/null", "urls"] } },
    hooks: Object.fromEntries([...events, ...more, ...rest].map((event) => [event, [{ hooks: [hook] }]])),
    onElicitation: async () => ({ action: "accept" }),
    canUseTool: async (_, input) =>
      String(input["command"]).startsWith("curl")
        ? { behavior: "deny", message: "no" }
        : { behavior: "allow", updatedInput: input },
  })
  chat.stream.say("go", { uuid: crypto.randomUUID() })
  await chat.next(isResult)
  world.place.write("../go", "")
  await chat.next(({ subtype }) => subtype === "task_notification")
  const answers: (readonly [string, unknown])[] = [
    ["SDKControlInitializeResponse", await chat.query.initializationResult()],
    ...(await chat.query.mcpServerStatus()).map((status) => ["McpServerStatus", status] as const),
  ]
  chat.stream.say("/clear")
  await chat.next(isResult)
  const { messages } = await chat.end()
  const limited = await world.run("again", { maxTurns: 1 })
  const told = [...messages, ...limited.messages].map((message): readonly [string, unknown] => {
    const kind = "subtype" in message ? `${message.type}/${String(message.subtype)}` : message.type
    expect(Object.keys(declared)).toContain(kind)
    return [declared[kind] ?? "", message]
  })
  const inputs = heard.map((input): readonly [string, unknown] => [
    `Extract<HookInput, { hook_event_name: ${JSON.stringify(isObject(input) ? input.hook_event_name : "")} }>`,
    input,
  ])
  const types = new Set([...told, ...inputs].map(([type]) => type))
  // Enough of them to be worth it.
  expect(types.size).toBeGreaterThan(28)
  expect(await complaints([...told, ...inputs, ...answers])).toBe("")
})

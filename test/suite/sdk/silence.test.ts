/** A client that never answers: each request to it ends after a limit, or when the client closes its input. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { bash, calls, use, write } from "../../kit/script.ts"
import { openWorld, type World, type WorldOptions } from "./drive.ts"
import { expectIntactLogs } from "./logs.ts"
import { processesIn } from "./processes.ts"
import { answer, initialize, isAnswerTo, isAsked, isResult, openWire, request, user, type Wire } from "./wire.ts"
import { openTurns } from "../../kit/turns.ts"
import { until } from "../../kit/until.ts"

const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
const everything = { command: "node", args: [join(modules, "server-everything/dist/index.js"), "stdio"] }
const form = "mcp__all__trigger-elicitation-request"
const question = {
  question: "Which?",
  header: "Which",
  options: [
    { label: "A", description: "a" },
    { label: "B", description: "b" },
  ],
  multiSelect: false,
}

const isCancelled = ({ type }: JsonObject): boolean => type === "control_cancel_request"
const second = (world: World): string => JSON.stringify(world.requests()[1]?.body)

interface Silence {
  readonly name: string
  readonly scenario: WorldOptions["scenario"]
  readonly argv?: readonly string[]
  readonly initialize?: object
  /** The request that is not answered. */
  readonly subtype: string
  /** What limits the wait. */
  readonly env?: { readonly [name: string]: string }
  /** What the model was told of it, if anything. */
  readonly told?: string
  readonly result: object
}

const asks = ["--permission-prompt-tool", "stdio"]
const patience = { CODEWRIGHT_CLIENT_PATIENCE_MS: "300" }
const hook = (event: string) => ({ hooks: { [event]: [{ hookCallbackIds: ["hook_0"], timeout: 0.3 }] } })
const touching = [calls(bash("touch a")), "Done."]

const silences: readonly Silence[] = [
  {
    name: "a permission question",
    scenario: [calls(write("a", "x")), "Then not."],
    argv: asks,
    subtype: "can_use_tool",
    env: patience,
    told: "the client did not answer",
    result: { result: "Then not.", permission_denials: [{ tool_name: "Write" }] },
  },
  {
    name: "a question of the model",
    scenario: [calls(use("AskUserQuestion", { questions: [question] })), "I choose."],
    argv: asks,
    subtype: "can_use_tool",
    env: patience,
    result: { result: "I choose." },
  },
  {
    name: "a plan",
    scenario: (asked, { turn }) => {
      const plan = /\S+\/plans\/[\w-]+\.md/.exec(JSON.stringify(asked))?.[0] ?? "none.md"
      if (turn === 0) return calls(write(plan, "# Plan\n\n1. Write a\n"))
      return turn === 1 ? calls(use("ExitPlanMode", {})) : { content: "Nobody answered." }
    },
    argv: [...asks, "--permission-mode", "plan"],
    subtype: "can_use_tool",
    env: patience,
    result: { result: "Nobody answered." },
  },
  {
    name: "a form of a server",
    scenario: [calls(use(form, {})), "No form."],
    argv: ["--mcp-config", JSON.stringify({ mcpServers: { all: everything } }), "--allowedTools", form],
    subtype: "elicitation",
    env: patience,
    told: "cancelled",
    result: { result: "No form." },
  },
  {
    name: "a callback before a call: the call is blocked",
    scenario: touching,
    argv: ["--allowedTools", "Bash"],
    initialize: hook("PreToolUse"),
    subtype: "hook_callback",
    result: { result: "Done.", permission_denials: [{ tool_name: "Bash" }] },
  },
  ...["UserPromptSubmit", "PostToolUse", "Stop", "SessionStart"].map((event) => ({
    name: `a callback at ${event}: the turn continues`,
    scenario: touching,
    argv: ["--allowedTools", "Bash"],
    initialize: hook(event),
    subtype: "hook_callback",
    result: { result: "Done.", permission_denials: [] },
  })),
  {
    name: "the first message to a server inside the client: it counts as failed",
    scenario: ["Without it."],
    initialize: { sdkMcpServers: ["mine"] },
    subtype: "mcp_message",
    env: { MCP_TIMEOUT: "300" },
    result: { result: "Without it." },
  },
]

const turn = openTurns()
for (const { name, scenario, argv, env, subtype, told, result, ...more } of silences) {
  const ends = turn(["a limit", "the end of input"] as const)

  const limited = async (): Promise<void> => {
    await using world = await openWorld("0.3", { scenario })
    const wire = openWire(world, argv, env)
    wire.send(initialize(more.initialize), user("go"))
    const asked = await wire.next(isAsked(subtype))
    expect(await wire.next(isCancelled)).toMatchObject({ request_id: asked.request_id })
    expect(wire.told.find(isResult) ?? (await wire.next(isResult))).toMatchObject(result)
    if (told !== undefined) expect(second(world)).toContain(told)
    // An answer that comes too late changes nothing.
    wire.send(answer(String(asked.request_id), { behavior: "allow", action: "accept" }))
    expect((await wire.end()).code).toBe(0)
    expect(processesIn(world.place.path)).toEqual([])
    expectIntactLogs(world)
  }
  if (ends.includes("a limit")) test(`silence on ${name}`, limited)

  const unlimited = async (): Promise<void> => {
    await using world = await openWorld("0.3", { scenario })
    const wire = openWire(world, argv)
    wire.send(initialize(withoutLimit(more.initialize)), user("go"))
    await wire.next(isAsked(subtype))
    expect((await wire.end()).code).toBe(0)
    expect(wire.told.findLast(isResult)).toMatchObject(result)
    expect(processesIn(world.place.path)).toEqual([])
    expectIntactLogs(world)
  }
  if (ends.includes("the end of input"))
    test(`silence on ${name}, without a limit: the end of input is the end`, unlimited)
}

function withoutLimit(first: object | undefined): object {
  return JSON.parse(JSON.stringify(first ?? {}, (key, value: unknown) => (key === "timeout" ? 1000 : value))) as object
}

/** A server inside the client that answers the handshake and nothing else. */
function answerHandshake(wire: Wire, asked: JsonObject): "answered" | "silent" {
  const { message = null } = isObject(asked.request) ? asked.request : {}
  const { id = 0, method } = isObject(message) ? message : {}
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "mine", version: "1" },
    },
    "notifications/initialized": {},
    "tools/list": { tools: [{ name: "slow", inputSchema: { type: "object" } }] },
  }
  const result = results[String(method)]
  if (!result) return "silent"
  wire.send(answer(String(asked.request_id), { mcp_response: { jsonrpc: "2.0", id, result } }))
  return "answered"
}

for (const limit of ["a limit", "the end of input"] as const)
  test(`silence on a call to a server inside the client, until ${limit}`, async () => {
    const scenario = [calls(use("mcp__mine__slow", {})), "It does not answer."]
    await using world = await openWorld("0.3", { scenario })
    const env = { ENABLE_TOOL_SEARCH: "false", ...(limit === "a limit" && { MCP_TOOL_TIMEOUT: "300" }) }
    const wire = openWire(world, ["--allowedTools", "mcp__mine__slow"], env)
    wire.send(initialize({ sdkMcpServers: ["mine"] }), user("go"))
    while (answerHandshake(wire, await wire.next(isAsked("mcp_message"))) === "answered");
    if (limit === "a limit") expect(await wire.next(isResult)).toMatchObject({ result: "It does not answer." })
    expect((await wire.end()).code).toBe(0)
    expect(wire.told.findLast(isResult)).toMatchObject({ result: "It does not answer." })
    expect(second(world)).toContain("is_error")
    expectIntactLogs(world)
  })

test("servers set later that stay silent are told as failed, and the session goes on", async () => {
  await using world = await openWorld("0.3", { scenario: ["One."] })
  const wire = openWire(world, [], { MCP_TIMEOUT: "300" })
  wire.send(
    initialize(),
    request("set", { subtype: "mcp_set_servers", servers: { mine: { type: "sdk", name: "mine" } } }),
  )
  await wire.next(isAsked("mcp_message"))
  wire.send(user("go"))
  expect(await wire.next(isResult)).toMatchObject({ result: "One." })
  const look = async (): Promise<string> => {
    wire.send(request("status", { subtype: "mcp_status" }))
    return JSON.stringify(await wire.next(isAnswerTo("status")))
  }
  await until(async () => !(await look()).includes('"pending"'))
  expect(await look()).toContain('"status":"failed"')
  expect((await wire.end()).code).toBe(0)
})

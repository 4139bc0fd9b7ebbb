/** A client that disconnects, at every point and in every way: the run ends, nothing is left, and the session can be resumed. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { isRunning } from "../../kit/is-running.ts"
import { bash, calls, use } from "../../kit/script.ts"
import { openWorld, type World } from "./drive.ts"
import { expectIntactLogs } from "./logs.ts"
import { processesIn } from "./processes.ts"
import { openTurns } from "../../kit/turns.ts"
import { answer, initialize, isAnswerTo, isAsked, isResult, openWire, user, type Wire } from "./wire.ts"

const command = "echo $$ > pid; sleep 1000"
const slow = { content: "A long answer that takes its time to arrive.", timing: { tokensPerSecond: 10 } }
const asks = ["--permission-prompt-tool", "stdio"]
const running = calls(bash(command))

interface Point {
  readonly name: string
  /** What the model answers first; later prompts get "Fine." */
  readonly first?: object
  readonly argv?: readonly string[]
  readonly reach: (wire: Wire, world: World) => Promise<void>
  /** Whether there is a conversation by then. */
  readonly begun: boolean
}

async function go(wire: Wire, more: object = {}): Promise<void> {
  wire.send(initialize(more))
  await wire.next(isAnswerTo("init"))
  wire.send(user("go"))
}

async function started({ place }: World): Promise<void> {
  while (!existsSync(join(place.work, "pid"))) await Bun.sleep(10)
}

/** Answers what a server inside the client is asked until it is to run a tool. */
async function untilCalled(wire: Wire): Promise<void> {
  for (;;) {
    const asked = await wire.next(isAsked("mcp_message"))
    const { message = null } = isObject(asked.request) ? asked.request : {}
    const { id = 0, method } = isObject(message) ? message : {}
    if (method === "tools/call") return
    const result = handshake[String(method)] ?? {}
    wire.send(answer(String(asked.request_id), { mcp_response: { jsonrpc: "2.0", id, result } }))
  }
}

const handshake: { readonly [method: string]: JsonObject } = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "mine", version: "1" },
  },
  "tools/list": { tools: [{ name: "slow", inputSchema: { type: "object" } }] },
}

const hooked = (event: string) => ({ hooks: { [event]: [{ hookCallbackIds: ["hook_0"] }] } })

const points: readonly Point[] = [
  { name: "before initialize", begun: false, reach: async () => {} },
  { name: "with initialize", begun: false, reach: async (wire) => wire.send(initialize()) },
  {
    name: "after initialize",
    begun: false,
    async reach(wire) {
      wire.send(initialize())
      await wire.next(isAnswerTo("init"))
    },
  },
  { name: "with its message", begun: false, reach: async (wire) => wire.send(initialize(), user("go")) },
  {
    name: "during a callback at UserPromptSubmit",
    begun: false,
    async reach(wire) {
      await go(wire, hooked("UserPromptSubmit"))
      await wire.next(isAsked("hook_callback"))
    },
  },
  {
    name: "during streaming",
    first: slow,
    argv: ["--include-partial-messages"],
    begun: true,
    async reach(wire) {
      await go(wire)
      await wire.next(({ event }) => isObject(event) && event.type === "content_block_delta")
    },
  },
  {
    name: "during can_use_tool",
    argv: asks,
    begun: true,
    async reach(wire) {
      await go(wire)
      await wire.next(isAsked("can_use_tool"))
    },
  },
  {
    name: "during a callback at PreToolUse",
    argv: ["--allowedTools", "Bash"],
    begun: true,
    async reach(wire) {
      await go(wire, hooked("PreToolUse"))
      await wire.next(isAsked("hook_callback"))
    },
  },
  {
    name: "during a command",
    argv: ["--allowedTools", "Bash"],
    begun: true,
    async reach(wire, world) {
      await go(wire)
      await started(world)
    },
  },
  {
    name: "during a command in the background",
    first: calls(use("Bash", { command, run_in_background: true })),
    argv: ["--allowedTools", "Bash"],
    begun: true,
    async reach(wire, world) {
      await go(wire)
      await started(world)
      await wire.next(isResult)
    },
  },
  {
    name: "during an agent",
    first: calls(use("Task", { description: "wait", prompt: "Wait.", subagent_type: "general-purpose" })),
    argv: ["--allowedTools", "Bash"],
    begun: true,
    async reach(wire, world) {
      await go(wire)
      await started(world)
    },
  },
  {
    name: "during mcp_message",
    first: calls(use("mcp__mine__slow", {})),
    argv: ["--allowedTools", "mcp__mine__slow"],
    begun: true,
    async reach(wire) {
      wire.send(initialize({ sdkMcpServers: ["mine"] }), user("go"))
      await untilCalled(wire)
    },
  },
  {
    name: "during compaction",
    first: { content: "Hello." },
    begun: true,
    async reach(wire) {
      await go(wire)
      await wire.next(isResult)
      wire.send(user("/compact"))
      await wire.next(({ subtype, status }) => subtype === "status" && status === "compacting")
    },
  },
]

const ways: { readonly [way: string]: (wire: Wire) => Promise<unknown> } = {
  "closes its input": (wire) => Promise.resolve(wire.process.stdin.end()),
  "is gone": (wire) => wire.vanish(),
  "sends SIGTERM": async (wire) => wire.process.kill("SIGTERM"),
}

/** Answers to the first prompt, to the agent's, to a summary, and to whatever comes afterwards. */
const repliesOf = ({ first = running }: Point) => [
  { when: { lastUserText: "and now?" }, content: "Fine." },
  { when: { lastUserText: "Wait." }, ...running },
  { when: { lastUserText: "go" }, ...first },
  { ...slow, times: "always" as const },
]

/** Whoever only closes its input wants what it asked for, and this would take too long. */
const takesTooLong = (way: string, { name }: Point): boolean => way === "closes its input" && /command|agent/.test(name)

const turn = openTurns()
for (const point of points)
  describe(point.name, () => {
    const possible = Object.entries(ways).filter(([way]) => !takesTooLong(way, point))
    for (const [way, leave] of turn(possible))
      test(`a client that ${way}`, async () => {
        await using world = await openWorld("0.3", { scenario: { replies: repliesOf(point) } })
        const id = crypto.randomUUID()
        const env = { ENABLE_TOOL_SEARCH: "false" }
        const wire = openWire(world, [...(point.argv ?? []), "--session-id", id], env)
        await point.reach(wire, world)
        await leave(wire)
        await wire.process.exited
        if (way === "sends SIGTERM")
          // A signal that comes before anything has begun simply ends the process.
          expect(wire.process.signalCode ?? wire.process.exitCode).toBeOneOf([143, "SIGTERM"])
        const pid = join(world.place.work, "pid")
        if (existsSync(pid)) expect(isRunning(Number(readFileSync(pid, "utf8")))).toBe(false)
        expect(processesIn(world.place.path)).toEqual([])
        expectIntactLogs(world)
        if (!point.begun) return
        const again = openWire(world, ["--resume", id], env)
        again.send(initialize(), user("and now?"))
        expect(await again.next(isResult)).toMatchObject({ result: "Fine.", session_id: id, is_error: false })
        expect((await again.end()).code).toBe(0)
      })
  })

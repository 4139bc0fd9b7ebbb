/** The Model Context Protocol over lines, as the server: our tools and a whole agent for another program. See decision 131. */

import type { ToolSpec } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import { digestOf } from "#lib/digest.ts"
import type { Ids } from "#lib/ids.ts"
import type { InputLine } from "#lib/input-lines.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import {
  type CallAnswer,
  type IncomingCall,
  openRpc,
  refuse,
  type Rpc,
  type RpcError,
  type RpcMethods,
  serveRpc,
} from "#lib/json-rpc.ts"
import { lazily } from "#lib/lazily.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import {
  agentName,
  type AgentRequest,
  agentSpec,
  type OpenedAgent,
  readAgentRequest,
  startAgent,
} from "./agent-tool.ts"
import { openCalls } from "./calls.ts"
import type { CallUnderWay, StartedBy } from "./call.ts"
import { type ClientModel, openClientModel } from "./client-model.ts"
import { errorResult } from "./content.ts"
import {
  clientOf,
  discovery,
  introduce,
  type McpClient,
  resultFor,
  type ServerName,
  uncached,
  unknownClient,
} from "./protocol.ts"
import { progressTo } from "./progress.ts"
import { openToolCalls, type ToolCalls } from "./tool-calls.ts"

/** What the program does for the connection. */
export interface McpRun {
  readonly input: AsyncIterable<InputLine>
  readonly send: (text: string) => void
  readonly written: () => Promise<void>
  /** The session in which the client's own calls run; the model makes them. Failures are messages. */
  readonly openTools: (model: ClientModel) => Promise<Result<Session, string>>
  /** The names of the tools that it offers. */
  readonly tools: readonly string[]
  readonly openAgent: (request: AgentRequest) => Promise<Result<OpenedAgent, string>>
  readonly offersAgent: boolean
  /** The process is told to stop. */
  readonly stop: AbortSignal
  readonly version: string
  readonly ids: Ids
  readonly clock: Clock
}

/** Resolves when the client has closed its end, or the process is told to stop; nothing is left open then. */
export async function runMcp(run: McpRun): Promise<void> {
  const rpc = openRpc(run.send, { method: "notifications/cancelled", answers: "only wanted" })
  await serveRpc(rpc, { ...run, ...openConnection(run, rpc) })
}

function openConnection(run: McpRun, rpc: Rpc): { readonly methods: RpcMethods; readonly close: () => Promise<void> } {
  const server: ServerName = { name: "codewright", title: "Codewright", version: run.version }
  const calls = openCalls({ rpc, ids: run.ids, clock: run.clock })
  const agents = new Set<OpenedAgent>()
  const tools = lazily(async () => {
    const model = openClientModel()
    const opened = await run.openTools(model)
    if (!opened.ok) return opened
    return ok({ session: opened.value, calls: openToolCalls({ session: opened.value, model, ids: run.ids }) })
  })
  /** Requests under way. */
  const answers = new Set<Promise<unknown>>()
  let known = unknownClient
  let toolsOpened = false

  async function toolCalls(): Promise<Result<ToolCalls, RpcError>> {
    toolsOpened = true
    const opened = await tools()
    return opened.ok ? ok(opened.value.calls) : refuse("internal", opened.failure)
  }

  async function list(): Promise<Result<JsonObject, RpcError>> {
    const agent = run.offersAgent ? [agentSpec] : []
    if (run.tools.length === 0) return ok({ tools: agent, ...uncached })
    const own = await toolCalls()
    if (!own.ok) return own
    const specs = (await own.value.specs()).filter(({ name }) => run.tools.includes(name))
    return ok({ tools: [...specs.map(listed), ...agent], ...uncached })
  }

  /** A failure of the request, or the result that says why there is nothing to run. */
  async function start(
    name: string,
    input: JsonObject,
    by: StartedBy,
  ): Promise<Result<CallUnderWay | JsonObject, RpcError>> {
    if (name === agentName && run.offersAgent) {
      const request = readAgentRequest(input)
      if (!request.ok) return ok(errorResult(request.failure))
      const opened = await run.openAgent(request.value)
      if (!opened.ok) return ok(errorResult(opened.failure))
      agents.add(opened.value)
      const close = async (): Promise<void> => {
        agents.delete(opened.value)
        await opened.value.close()
      }
      return ok(startAgent(request.value, { session: opened.value.session, close }, by, run.ids))
    }
    if (!run.tools.includes(name)) return refuse("params", `Unknown tool: ${name}`)
    const own = await toolCalls()
    return own.ok ? ok(own.value.start(name, input, by)) : own
  }

  async function callTool({ params, signal }: IncomingCall, client: McpClient): Promise<Result<JsonObject, RpcError>> {
    const { name, arguments: args } = params
    if (typeof name !== "string") return refuse("params", "Name the tool to call.")
    if (args !== undefined && !isObject(args)) return refuse("params", "The arguments of a tool are an object.")
    const input = args ?? {}
    const about = digestOf([name, input])
    if (params.requestState !== undefined) return calls.resume(params, client, about, signal)
    let report = progressTo(rpc, params)
    const by: StartedBy = { client: client.name, onProgress: (message) => report(message) }
    const started = await start(name, input, by)
    if (!started.ok) return started
    if (!isUnderWay(started.value)) return ok(started.value)
    // Whoever comes back with an answer wants to be told under its own token.
    const followed = {
      call: started.value,
      about,
      reportTo: (next: JsonObject) => void (report = progressTo(rpc, next)),
    }
    return ok(await calls.follow(followed, client, signal))
  }

  /** With what the client can do, as it said with this request or before. */
  const answering =
    (
      use: (call: IncomingCall, client: McpClient) => Promise<Result<JsonObject, RpcError>>,
    ): RpcMethods["requests"][string] =>
    async (call): Promise<Result<CallAnswer, RpcError>> => {
      const client = clientOf(call.params, known)
      if (!client.ok) return client
      const using = use(call, client.value)
      answers.add(using)
      const came = await using.finally(() => answers.delete(using))
      return came.ok ? ok({ result: resultFor(client.value, server, came.value) }) : came
    }

  return {
    methods: {
      requests: {
        async initialize({ params }) {
          const { client, result } = introduce(params, server, instructions)
          known = client
          return ok({ result })
        },
        "server/discover": answering(async () => ok(discovery(instructions))),
        ping: answering(async () => ok({})),
        "tools/list": answering(list),
        "tools/call": answering(callTool),
      },
      notifications: {},
    },
    async close() {
      calls.close()
      await Promise.allSettled(answers)
      const opened = toolsOpened ? await tools() : undefined
      await Promise.allSettled([
        ...[...agents].map(({ close }) => close()),
        ...(opened?.ok ? [opened.value.session.close()] : []),
      ])
    },
  }
}

const instructions =
  "Tools of Codewright for the workspace it was started in, under the permission rules of its user: what they do not allow is asked, or refused with the rule that would allow it. The tool agent gives a whole task to Codewright."

const isUnderWay = (value: CallUnderWay | JsonObject): value is CallUnderWay => typeof value.next === "function"

const readers = ["Read", "Glob", "Grep", "LS", "NotebookRead", "BashOutput"]

/** Hints only: what a call may do is decided when it is made. */
const listed = ({ name, description, input_schema }: ToolSpec): JsonObject => ({
  name,
  description,
  inputSchema: input_schema,
  annotations: readers.includes(name) ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true },
})

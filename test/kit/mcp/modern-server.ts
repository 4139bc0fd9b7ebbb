/**
 * An MCP server that speaks only the revision of 2026-07-28, strictly: no handshake, no session, everything needed in each
 * request. It keeps notes and tasks in a folder, so that a server started again knows them. Written against the specification.
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Fields = Readonly<Record<string, unknown>>
type Send = (message: Fields) => void

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Params
}

interface Params {
  readonly _meta?: Fields
  readonly name?: string
  readonly uri?: string
  readonly taskId?: string
  readonly arguments?: { readonly text?: string; readonly city?: string }
  readonly argument?: { readonly value: string }
  readonly inputResponses?: {
    readonly who?: { readonly action?: string; readonly content?: { readonly name?: string } }
  }
  readonly requestState?: string
  readonly notifications?: Fields & { readonly resourceSubscriptions?: readonly string[] }
  readonly requestId?: unknown
}

interface Task extends Fields {
  readonly taskId: string
  readonly tool: string
  readonly status: string
  readonly name?: string
}

/** An error of the protocol. */
class Refusal extends Error {
  readonly code: number
  readonly data: Fields | undefined
  constructor(code: number, message: string, data?: Fields) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface ModernServer {
  readonly requests: readonly Message[]
  /** Writes the resource and tells whoever listens. */
  readonly write: (words: string) => void
  readonly leave: (id: unknown) => void
  /** `headers` of the request, where there are any. */
  readonly take: (message: Message, send: Send, headers?: Fields) => void
}

const revision = "2026-07-28"
const meta = (name: string): string => `io.modelcontextprotocol/${name}`
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const asks = (message: string): Fields => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: form },
})

const tools = [
  {
    name: "echo",
    description: "Says it again.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  },
  { name: "enrol", description: "Enrols someone.", inputSchema: { type: "object", properties: {} } },
  { name: "twice", description: "Asks the same twice.", inputSchema: { type: "object", properties: {} } },
  { name: "build", description: "Takes long.", inputSchema: { type: "object", properties: {} } },
  { name: "review", description: "Takes long, and asks.", inputSchema: { type: "object", properties: {} } },
  { name: "sample", description: "Wants a model.", inputSchema: { type: "object", properties: {} } },
  { name: "seen", description: "What came with the call.", inputSchema: { type: "object", properties: {} } },
  { name: "grow", description: "Adds a tool.", inputSchema: { type: "object", properties: {} } },
  {
    name: "routed",
    description: "Wants an argument in a header.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, when: { $ref: "#/$defs/when" } },
      $defs: { when: { type: "string", format: "date" } },
      allOf: [{ if: { required: ["when"] }, then: { required: ["region"] } }],
    },
  },
  {
    name: "misrouted",
    description: "Has a bad mark.",
    inputSchema: { type: "object", properties: { list: { type: "array", "x-mcp-header": "List" } } },
  },
]

function openModernServer(folder: string): ModernServer {
  const listeners = new Map<unknown, { readonly filter: NonNullable<Params["notifications"]>; readonly send: Send }>()
  const requests: Message[] = []
  const file = (name: string): string => join(folder, name)
  const note = (text: string): void => appendFileSync(file("told"), `${text}\n`)
  const tell = (kind: string, method: string, params: { readonly uri?: string } = {}): void => {
    for (const [id, { filter, send }] of listeners)
      if (kind === "resource" ? filter.resourceSubscriptions?.includes(params.uri ?? "") : filter[kind])
        send({ method, params: { ...params, _meta: { [meta("subscriptionId")]: id } } })
  }
  const text = (words: string, more: Fields = {}): Fields => ({
    resultType: "complete",
    content: [{ type: "text", text: words }],
    ...more,
  })
  const taskOf = (id: string): Task | undefined =>
    existsSync(file(`task-${id}`)) ? JSON.parse(readFileSync(file(`task-${id}`), "utf8")) : undefined
  const keep = (kept: Task): Task => {
    writeFileSync(file(`task-${kept.taskId}`), JSON.stringify(kept))
    return kept
  }
  const began = (tool: string): Task => {
    note(`begin ${tool}`)
    const now = new Date().toISOString()
    return keep({
      taskId: crypto.randomUUID(),
      tool,
      status: "working",
      statusMessage: "At work",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: null,
      pollIntervalMs: 100,
    })
  }

  function call(
    { name, arguments: input = {}, inputResponses, requestState, _meta = {} }: Params,
    headers: Fields,
  ): Fields {
    switch (name) {
      case "echo":
        return text(String(input.text))
      case "enrol": {
        const given = inputResponses?.who
        if (!given || requestState !== "state of enrol")
          return {
            resultType: "input_required",
            inputRequests: { who: asks("What is your name?") },
            requestState: "state of enrol",
          }
        note(`enrol ${given.content?.name ?? given.action}`)
        return text(`Hello ${given.content?.name ?? "nobody"}.`)
      }
      case "twice": {
        const names: string[] = requestState ? JSON.parse(requestState) : []
        const all = inputResponses ? [...names, inputResponses.who?.content?.name ?? "nobody"] : names
        if (all.length < 2)
          return {
            resultType: "input_required",
            inputRequests: { who: asks("A name?") },
            requestState: JSON.stringify(all),
          }
        note(`twice ${all.join(" ")}`)
        return text(all.join(" and "))
      }
      case "build":
      case "review":
        return { resultType: "task", ...began(name) }
      case "sample":
        return {
          resultType: "input_required",
          inputRequests: { it: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } },
        }
      case "seen":
        return text(
          JSON.stringify({
            traceparent: _meta.traceparent,
            client: _meta[meta("clientInfo")],
            capabilities: _meta[meta("clientCapabilities")],
          }),
        )
      case "grow":
        writeFileSync(file("grown"), "")
        tell("toolsListChanged", "notifications/tools/list_changed")
        return text("Grown.")
      case "routed":
        return text(`header ${headers["mcp-param-region"]}`)
      default:
        return text("No such tool.", { isError: true })
    }
  }

  function task({ taskId = "", inputResponses }: Params, change?: "update" | "cancel"): Fields {
    const now = taskOf(taskId)
    if (!now) throw new Refusal(-32_602, "Failed to retrieve task: Task not found")
    if (change === "cancel") {
      note(`cancel ${now.tool}`)
      keep({ ...now, status: "cancelled" })
    }
    if (change === "update") keep({ ...now, name: inputResponses?.who?.content?.name ?? "nobody" })
    if (change) return { resultType: "complete" }
    if (now.status !== "working") return { ...now, resultType: "complete" }
    if (now.tool === "review" && !now.name)
      return { ...now, resultType: "complete", status: "input_required", inputRequests: { who: asks("Who reviews?") } }
    if (now.tool === "build" && !existsSync(file("go"))) return { ...now, resultType: "complete" }
    note(`finish ${now.tool}`)
    return {
      ...keep({
        ...now,
        status: "completed",
        result: { content: [{ type: "text", text: `Done by ${now.name ?? "itself"}.` }] },
      }),
      resultType: "complete",
    }
  }

  function answer({ id, method, params = {} }: Message, send: Send, headers: Fields): Fields | undefined {
    const cached = { resultType: "complete", ttlMs: 60_000, cacheScope: "private" }
    switch (method) {
      case "server/discover":
        return {
          ...cached,
          supportedVersions: [revision],
          capabilities: {
            tools: { listChanged: true },
            prompts: {},
            resources: { subscribe: true },
            completions: {},
            extensions: { [meta("tasks")]: {} },
          },
          instructions: "Speaks the newest revision.",
          _meta: { [meta("serverInfo")]: { name: "modern", version: "3" } },
        }
      case "tools/list":
        return {
          ...cached,
          tools: existsSync(file("grown")) ? [...tools, { name: "grown", inputSchema: { type: "object" } }] : tools,
        }
      case "prompts/list":
        return { ...cached, prompts: [{ name: "hail", arguments: [{ name: "city", required: true }] }] }
      case "prompts/get":
        if (params.inputResponses === undefined)
          return { resultType: "input_required", inputRequests: { who: asks("Who hails?") } }
        return {
          resultType: "complete",
          messages: [
            {
              role: "user",
              content: {
                type: "text",
                text: `${params.inputResponses.who?.content?.name} hails ${params.arguments?.city}.`,
              },
            },
          ],
        }
      case "resources/list":
        return { ...cached, resources: [{ uri: "note://one", name: "one" }] }
      case "resources/templates/list":
        return { ...cached, resourceTemplates: [] }
      case "resources/read":
        note(`read ${params.uri}`)
        return {
          ...cached,
          contents: [
            { uri: params.uri, text: existsSync(file("note")) ? readFileSync(file("note"), "utf8") : "empty" },
          ],
        }
      case "completion/complete":
        return {
          resultType: "complete",
          completion: {
            values: ["paris", "prague", "oslo"].filter((city) => city.startsWith(params.argument?.value ?? "")),
          },
        }
      case "tools/call":
        return call(params, headers)
      case "tasks/get":
        return task(params)
      case "tasks/update":
        return task(params, "update")
      case "tasks/cancel":
        return task(params, "cancel")
      case "subscriptions/listen":
        listeners.set(id, { filter: params.notifications ?? {}, send })
        send({
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: params.notifications, _meta: { [meta("subscriptionId")]: id } },
        })
        return undefined
      default:
        throw new Refusal(-32_601, `Unknown method ${method}`)
    }
  }

  return {
    requests,
    write(words) {
      writeFileSync(file("note"), words)
      tell("resource", "notifications/resources/updated", { uri: "note://one" })
    },
    leave: (id) => void listeners.delete(id),
    take(message, send, headers = {}): void {
      requests.push(message)
      const { id, method, params = {} } = message
      if (id === undefined) {
        if (method === "notifications/cancelled") listeners.delete(params.requestId)
        return
      }
      const { _meta: own = {} } = params
      try {
        if (own[meta("protocolVersion")] !== revision)
          throw new Refusal(-32_022, "Unsupported protocol version", {
            supported: [revision],
            requested: String(own[meta("protocolVersion")]),
          })
        if (!own[meta("clientCapabilities")]) throw new Refusal(-32_602, "No capabilities")
        const result = answer(message, send, headers)
        if (result) send({ id, result })
      } catch (error) {
        const { code, message: words, data } = error instanceof Refusal ? error : new Refusal(-32_603, String(error))
        send({ id, error: { code, message: words, ...(data && { data }) } })
      }
    },
  }
}

/** The same over HTTP, as strict about headers as the specification. */
export function openModernHttp(
  folder: string,
): ModernServer & AsyncDisposable & { readonly url: string; readonly headersSeen: readonly Fields[] } {
  const modern = openModernServer(folder)
  const headersSeen: Record<string, string>[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const headers = Object.fromEntries(request.headers)
      headersSeen.push(headers)
      if (request.method !== "POST") return new Response(null, { status: 405 })
      const message = (await request.json()) as Message
      const json = (status: number, body: Fields): Response => Response.json({ jsonrpc: "2.0", ...body }, { status })
      if (message.id !== undefined && headers["mcp-method"] !== message.method)
        return json(400, { id: message.id, error: { code: -32_020, message: "Header mismatch" } })
      if (message.id === undefined) return new Response(null, { status: 202 })
      if (message.method === "subscriptions/listen") {
        const stream = new ReadableStream({
          start: (to) =>
            modern.take(
              message,
              (one) => to.enqueue(`data: ${JSON.stringify({ jsonrpc: "2.0", ...one })}\n\n`),
              headers,
            ),
          cancel: () => modern.leave(message.id),
        })
        return new Response(stream, { headers: { "content-type": "text/event-stream" } })
      }
      let answered: Fields = {}
      modern.take(message, (one) => void (answered = one), headers)
      return json("error" in answered ? 400 : 200, answered)
    },
  })
  return {
    ...modern,
    headersSeen,
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: async (): Promise<void> => void (await server.stop(true)),
  }
}

if (import.meta.main) {
  const modern = openModernServer(process.argv[2] ?? ".")
  const send: Send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  let rest = ""
  for await (const chunk of Bun.stdin.stream()) {
    rest += new TextDecoder().decode(chunk)
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.trim() !== "") modern.take(JSON.parse(line) as Message, send)
  }
}

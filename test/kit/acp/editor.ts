/** An editor for tests: the official package's client, unmodified, with our program as its agent, and every line held against the schema. */

import {
  type AgentRequestMethod,
  client,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import type { Subprocess } from "bun"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { asScenario, environmentOf, openPlace, type Place, program, type RunOptions } from "../run-codewright.ts"
import { openSimulator } from "#sim/server.ts"
import type { RecordedRequest } from "#sim/ledger.ts"
import { watchSchema } from "./published-schema.ts"

type Simulator = Extract<Awaited<ReturnType<typeof openSimulator>>, { ok: true }>["value"]

export interface EditorWorld extends AsyncDisposable {
  readonly place: Place
  readonly simulator: Simulator
  readonly requests: () => readonly RecordedRequest[]
}

/** A folder and a model, which outlive the editor and its agent. */
export async function openWorld(
  scenario: NonNullable<RunOptions["scenario"]>,
  files: { readonly [path: string]: string } = {},
): Promise<EditorWorld> {
  const place = openPlace(files)
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  return {
    place,
    simulator: opened.value,
    requests: () => opened.value.requests,
    async [Symbol.asyncDispose]() {
      await opened.value.close()
      place[Symbol.dispose]()
    },
  }
}

export interface EditorOptions {
  readonly argv?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly capabilities?: JsonObject
  readonly permission?: (request: RequestPermissionRequest, editor: Editor) => Promise<string | "cancelled" | "never">
  readonly form?: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse> | CreateElicitationResponse
  readonly readFile?: (path: string) => string | undefined
  readonly writeFile?: (path: string, content: string) => void
}

export interface Editor extends AsyncDisposable {
  readonly process: Subprocess<"pipe", "pipe", "pipe">
  readonly agent: ClientContext
  readonly call: (method: AgentRequestMethod | (string & {}), params: JsonObject) => Promise<JsonObject>
  readonly newSession: (more?: JsonObject) => Promise<JsonObject & { readonly sessionId: string }>
  /** Gives the stop reason. */
  readonly prompt: (sessionId: string, text: string) => Promise<string>
  readonly updates: SessionUpdate[]
  readonly updatesOf: (kind: string) => readonly JsonObject[]
  /** Messages of ours as they were sent. */
  readonly said: JsonObject[]
  readonly permissions: RequestPermissionRequest[]
  readonly forms: CreateElicitationRequest[]
  /** Resolves when a message of ours fits. */
  readonly until: (fits: (message: JsonObject) => boolean) => Promise<JsonObject>
  readonly text: () => string
  readonly stderr: () => string
  /** Closes the input and waits for the end. */
  readonly end: () => Promise<number>
}

export async function openEditor(world: EditorWorld, options: EditorOptions = {}): Promise<Editor> {
  const child = Bun.spawn([program, "acp", ...(options.argv ?? [])], {
    cwd: world.place.path,
    env: environmentOf(world.place, world.simulator.url, options.env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  const schema = watchSchema()
  const said: JsonObject[] = []
  const updates: SessionUpdate[] = []
  const permissions: RequestPermissionRequest[] = []
  const forms: CreateElicitationRequest[] = []
  const waiting = new Set<() => void>()
  let wrong: Error | undefined
  let stderr = ""
  void (async () => {
    for await (const part of child.stderr) stderr += new TextDecoder().decode(part)
  })()

  const hear = lineWatch((message) => {
    said.push(message)
    try {
      schema.said(message)
    } catch (error) {
      wrong ??= error instanceof Error ? error : new Error(String(error))
    }
    for (const look of waiting) look()
  })
  const input = child.stdout.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        hear(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
  const heard = lineWatch(schema.heard)
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      heard(chunk)
      await child.stdin.write(chunk)
      await child.stdin.flush()
    },
  })

  const app = client({ name: "test editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", async ({ params }): Promise<RequestPermissionResponse> => {
      permissions.push(params)
      const option = await (options.permission?.(params, editor) ?? "cancelled")
      if (option === "never") return new Promise(() => {})
      return { outcome: option === "cancelled" ? { outcome: option } : { outcome: "selected", optionId: option } }
    })
    .onRequest("elicitation/create", async ({ params }): Promise<CreateElicitationResponse> => {
      forms.push(params)
      return (await options.form?.(params)) ?? { action: "cancel" }
    })
    .onRequest("fs/read_text_file", ({ params }) => {
      const content = options.readFile?.(params.path)
      if (content === undefined) throw new Error("no such buffer")
      return { content }
    })
    .onRequest("fs/write_text_file", ({ params }) => {
      options.writeFile?.(params.path, params.content)
      return {}
    })
  const { agent } = app.connect(ndJsonStream(output, input))

  const call = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const came: unknown = await agent.request(method, params)
    if (wrong !== undefined) throw new Error("A message breaks the schema.", { cause: wrong })
    return isObject(came) ? came : {}
  }
  const editor: Editor = {
    process: child,
    agent,
    call,
    async newSession(more = {}) {
      const came = await call("session/new", { cwd: world.place.work, mcpServers: [], ...more })
      return { ...came, sessionId: String(came["sessionId"]) }
    },
    async prompt(sessionId, text) {
      return String((await call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }))["stopReason"])
    },
    updates,
    updatesOf: (kind) =>
      updates.filter(({ sessionUpdate }) => sessionUpdate === kind) as unknown as readonly JsonObject[],
    said,
    permissions,
    forms,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = said.find(fits)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void child.exited.then(() => reject(new Error(`The agent ended: ${stderr}`)))
      }),
    text: () =>
      updates
        .flatMap((one) =>
          one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
        )
        .join(""),
    stderr: () => stderr,
    async end() {
      await child.stdin.end()
      const code = await child.exited
      if (wrong !== undefined) throw new Error("A message breaks the schema.", { cause: wrong })
      return code
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await child.exited
      if (wrong !== undefined) throw new Error("A message breaks the schema.", { cause: wrong })
    },
  }
  await call("initialize", {
    protocolVersion: 1,
    clientCapabilities: { elicitation: { form: {}, url: {} }, ...options.capabilities },
    clientInfo: { name: "test editor", version: "1" },
  })
  return editor
}

function lineWatch(take: (message: JsonObject) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ""
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line) as JsonValue
      if (isObject(message)) take(message)
    }
  }
}

/** MCP servers that live in the program itself: tools as functions. */

import type { output, ZodObject } from "zod"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { toolInput, type ZodInput, type ZodShape } from "./tool-input.ts"

/** What a tool answers with, as MCP has it. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly isError?: boolean
}

export interface SdkTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly inputSchema: { readonly [field: string]: unknown }
  readonly annotations?: ToolAnnotations
  readonly handler: (input: { readonly [field: string]: unknown }) => Promise<ToolAnswer>
}

/** Hints about a tool, as MCP has them. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export interface ToolExtras {
  readonly annotations?: ToolAnnotations
}

/** A server of another library: anything that can be connected to a transport of the MCP SDK. */
export interface Connectable {
  readonly connect: (transport: MessageTransport) => Promise<unknown>
}

export interface MessageTransport {
  onmessage?: (message: JsonObject) => void
  onclose?: () => void
  readonly start: () => Promise<void>
  readonly send: (message: JsonObject) => Promise<void>
  readonly close: () => Promise<void>
}

export interface SdkServer {
  readonly type: "sdk"
  readonly name: string
  readonly instance: Connectable | OwnServer
}

interface OwnServer {
  readonly tools: readonly SdkTool[]
  readonly version: string
  readonly instructions?: string
}

export const isInProcess = (server: { readonly type?: string }): server is SdkServer => server.type === "sdk"

/** One tool. `inputSchema` is written with zod (an object, or its fields), or as a JSON Schema (whole, or its properties). */
export function tool<Shape extends ZodShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: (input: ZodInput<Shape>) => Promise<ToolAnswer>,
  extras?: ToolExtras,
): SdkTool
export function tool<Schema extends ZodObject>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (input: output<Schema>) => Promise<ToolAnswer>,
  extras?: ToolExtras,
): SdkTool
export function tool<Input extends { readonly [field: string]: unknown }>(
  name: string,
  description: string,
  inputSchema: { readonly [field: string]: unknown },
  handler: (input: Input) => Promise<ToolAnswer>,
  extras?: ToolExtras,
): SdkTool
export function tool(
  name: string,
  description: string,
  inputSchema: { readonly [field: string]: unknown } | ZodObject,
  handler: (input: never) => Promise<ToolAnswer>,
  { annotations }: ToolExtras = {},
): SdkTool {
  const { schema, read } = toolInput(name, inputSchema)
  return {
    name,
    description,
    inputSchema: schema,
    ...optional("annotations", annotations),
    handler: async (input) => handler(read(input) as never),
  }
}

export const createSdkMcpServer = ({
  name,
  version = "1.0.0",
  instructions,
  tools = [],
}: {
  readonly name: string
  readonly version?: string
  /** What the model is told about the server. */
  readonly instructions?: string
  readonly tools?: readonly SdkTool[]
}): SdkServer => ({
  type: "sdk",
  name,
  instance: { tools, version, ...optional("instructions", instructions) },
})

/** Answers one message of the session. What needs no answer gets an empty one. */
export type Answerer = (message: JsonObject) => Promise<JsonObject>

export function answererOf({ name, instance }: SdkServer): Answerer {
  if ("connect" in instance) return connected(instance)
  return async (message) => {
    const { id } = message
    if (id === undefined) return { jsonrpc: "2.0", id: 0, result: {} }
    const outcome = await answerOf(message, { name, ...instance })
    return { jsonrpc: "2.0", id, ...outcome }
  }
}

async function answerOf(
  { method, params }: JsonObject,
  { name, version, tools, instructions }: OwnServer & { readonly name: string },
): Promise<JsonObject> {
  const asked = isObject(params) ? params : {}
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: asked.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name, version },
          ...optional("instructions", instructions),
        },
      }
    case "ping":
      return { result: {} }
    case "tools/list":
      return {
        result: {
          tools: tools.map((one) => ({
            name: one.name,
            description: one.description,
            inputSchema: one.inputSchema as JsonObject,
            ...optional("annotations", one.annotations as JsonObject | undefined),
          })),
        },
      }
    case "tools/call":
      return { result: await called(tools, asked) }
    default:
      return { error: { code: -32601, message: `There is no method ${String(method)}.` } }
  }
}

/** A handler that throws is a tool that failed: the model is told. */
async function called(tools: readonly SdkTool[], { name, arguments: input }: JsonObject): Promise<JsonValue> {
  const found = tools.find((one) => one.name === name)
  try {
    if (!found) throw new Error(`There is no tool ${String(name)}.`)
    return (await found.handler(isObject(input) ? input : {})) as unknown as JsonValue
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { content: [{ type: "text", text }], isError: true }
  }
}

/** Answers are matched by their ids; a server connects when it is first spoken to. */
function connected(server: Connectable): Answerer {
  const waiting = new Map<JsonValue, (message: JsonObject) => void>()
  const transport: MessageTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      if (message.id !== undefined) waiting.get(message.id)?.(message)
      return Promise.resolve()
    },
  }
  let connecting: Promise<unknown> | undefined
  return async (message) => {
    await (connecting ??= server.connect(transport))
    const { id } = message
    if (id === undefined) {
      transport.onmessage?.(message)
      return { jsonrpc: "2.0", id: 0, result: {} }
    }
    return new Promise((resolve) => {
      waiting.set(id, (answer) => {
        waiting.delete(id)
        resolve(answer)
      })
      transport.onmessage?.(message)
    })
  }
}

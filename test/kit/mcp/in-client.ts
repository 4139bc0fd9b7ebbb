/** A client with MCP servers inside it, in the test's own process, as a program with the SDK has them. */

import type { Client } from "#agent/words/client.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

export interface InsideTool {
  readonly name: string
  readonly description?: string
  readonly annotations?: JsonObject
  readonly inputSchema?: JsonObject
  readonly run: (input: JsonObject, signal: AbortSignal) => JsonObject | Promise<JsonObject>
}

export interface InsideClient {
  readonly port: Client
  /** Every message that came, in order. */
  readonly heard: readonly { readonly server: string; readonly message: JsonObject }[]
  /** Methods alone, without those that ask for lists of other kinds. */
  readonly methods: (server: string) => readonly unknown[]
}

export const text = (words: string): JsonObject => ({ content: [{ type: "text", text: words }] })

export function clientWith(servers: { readonly [name: string]: () => readonly InsideTool[] }): InsideClient {
  const heard: { server: string; message: JsonObject }[] = []
  return {
    heard,
    methods: (server) => heard.filter((one) => one.server === server).map(({ message }) => message.method),
    port: {
      hook: () => Promise.resolve({}),
      async mcpMessage(server, message, signal) {
        heard.push({ server, message })
        const tools = servers[server]
        if (!tools) throw new Error(`SDK MCP server not found: ${server}`)
        // As the SDK does: even what needs no answer gets one, with the id of another request.
        if (message.id === undefined) return { jsonrpc: "2.0", id: 0, result: {} }
        return { jsonrpc: "2.0", id: message.id, ...(await answer(server, tools(), message, signal)) }
      },
    },
  }
}

async function answer(
  server: string,
  tools: readonly InsideTool[],
  { method, params }: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const given = isObject(params) ? params : {}
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: given.protocolVersion ?? "2025-06-18",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: server, version: "1.0.0" },
        },
      }
    case "tools/list":
      return {
        result: { tools: tools.map(({ run: _run, ...tool }) => ({ inputSchema: { type: "object" }, ...tool })) },
      }
    case "tools/call": {
      const tool = tools.find(({ name }) => name === given.name)
      if (!tool) return { error: { code: -32_602, message: `Tool ${String(given.name)} not found` } }
      return { result: await tool.run(isObject(given.arguments) ? given.arguments : {}, signal) }
    }
    default:
      return { error: { code: -32_601, message: "Method not found" } }
  }
}

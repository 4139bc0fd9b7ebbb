/** The least an MCP server can do: it says who it is and lists so many tools. */

import { argv, stdin, stdout } from "node:process"
import { createInterface } from "node:readline"

interface Asked {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

const tools = Array.from({ length: Number(argv[2] ?? 1) }, (_, i) => ({
  name: `tool_${i}`,
  description: `Does the thing of number ${i}, with what it is given, as tools of servers do.`,
  inputSchema: {
    type: "object",
    properties: { what: { type: "string", description: "What to do it with" }, many: { type: "number" } },
    required: ["what"],
  },
}))

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params } = JSON.parse(line) as Asked
  if (id === undefined) continue
  const result =
    method === "initialize"
      ? {
          protocolVersion: params?.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "bare", version: "0" },
        }
      : method === "tools/list"
        ? { tools }
        : {}
  stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
}

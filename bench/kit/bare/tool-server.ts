/** The least an MCP server can do: it says who it is, lists so many tools, and answers a call with as many megabytes as it says. */

import { argv, stdin, stdout } from "node:process"
import { createInterface } from "node:readline"

interface Asked {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly many?: number } }
}

const line100 = `${"a line of what a server knows ".repeat(4).slice(0, 99)}\n`

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
        : method === "tools/call"
          ? { content: [{ type: "text", text: line100.repeat((params?.arguments?.many ?? 0) * 10_000) }] }
          : {}
  stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
}

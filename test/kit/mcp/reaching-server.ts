/** An MCP server by hand that writes where it is told to, and connects to where it is told to. A path as argument is written first, and without it the server ends. */

import { writeFileSync } from "node:fs"
import { connect } from "node:net"

const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

const [needs] = process.argv.slice(2)
if (needs !== undefined) writeFileSync(needs, "needed")

const tool = (name: string): object => ({
  name,
  description: name,
  inputSchema: { type: "object", properties: { path: { type: "string" }, port: { type: "number" } } },
})

async function act(name: string, { path = "", port = 0 }: { path?: string; port?: number }): Promise<string> {
  if (name === "write") {
    writeFileSync(path, "written")
    return `wrote ${path}`
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  connect({ host: "127.0.0.1", port }, () => resolve("connected")).on("error", reject)
  return promise
}

interface Asked {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: { readonly path?: string; readonly port?: number } }
}

async function answer({ id, method, params }: Asked): Promise<void> {
  if (method === "initialize") {
    const serverInfo = { name: "reaching", version: "1" }
    return say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } })
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool("write"), tool("connect")] } })
  if (method === "tools/call") {
    const text = await act(params?.name ?? "", params?.arguments ?? {}).catch((error: unknown) => String(error))
    return say({ id, result: { content: [{ type: "text", text }] } })
  }
  if (id !== undefined) say({ id, error: { code: -32601, message: "not here" } })
}

let left = ""
process.stdin.on("data", (bytes: Buffer) => {
  const lines = `${left}${bytes.toString("utf8")}`.split("\n")
  left = lines.pop() ?? ""
  for (const line of lines) if (line.trim() !== "") void answer(JSON.parse(line) as Asked)
})
process.stdin.on("end", () => process.exit(0))

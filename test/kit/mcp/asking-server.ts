/** An MCP server whose tools ask for a name before they greet: one only reads, one says that it changes something. With `urls` one more sends the user to a page. */

import { appendFileSync } from "node:fs"

const [, , notes = "/dev/null", more] = process.argv
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const inputSchema = { type: "object", properties: {} }
const tools = [
  { name: "greet", description: "Greets.", inputSchema, annotations: { readOnlyHint: true } },
  { name: "enrol", description: "Enrols.", inputSchema },
  ...(more === "urls" ? [{ name: "visit", description: "Sends the user to a page.", inputSchema }] : []),
]
const page = { mode: "url", url: "https://example.com/sign", elicitationId: "visit-1" }
const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
/** The calls that wait for an answer, by the ids of what they asked. */
const asking = new Map<string, { readonly id: number; readonly tool: string }>()

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly name?: string }
  readonly result?: { readonly action?: string; readonly content?: { readonly name?: string } }
}

function take({ id, method, params = {}, result }: Message): void {
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params
      return say({
        id,
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "asking", version: "1" } },
      })
    }
    case "tools/list":
      return say({ id, result: { tools } })
    case "tools/call": {
      const tool = params.name ?? ""
      const asked = `ask-${Number(id)}`
      asking.set(asked, { id: Number(id), tool })
      return say({
        id: asked,
        method: "elicitation/create",
        params:
          tool === "visit" ? { message: "Please sign.", ...page } : { message: "What is your name?", requestedSchema },
      })
    }
    case undefined: {
      const call = asking.get(String(id))
      if (!call) return
      if (call.tool === "visit")
        say({ method: "notifications/elicitation/complete", params: { elicitationId: page.elicitationId } })
      appendFileSync(notes, `${call.tool} ${result?.content?.name ?? result?.action}\n`)
      return say({
        id: call.id,
        result: { content: [{ type: "text", text: `Hello ${result?.content?.name ?? "nobody"}.` }] },
      })
    }
    default:
      if (id !== undefined) say({ id, error: { code: -32_601, message: "unknown" } })
  }
}

let rest = ""
for await (const chunk of Bun.stdin.stream()) {
  rest += new TextDecoder().decode(chunk)
  const lines = rest.split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) if (line.trim() !== "") take(JSON.parse(line) as Message)
}

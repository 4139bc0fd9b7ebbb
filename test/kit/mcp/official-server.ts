/** A server made with the official package of 2026, which serves both revisions: `modern` refuses the older handshake. */

import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"

const schema = fromJsonSchema({ type: "object", properties: { text: { type: "string" } } })
const form = { type: "object" as const, properties: { name: { type: "string" as const } }, required: ["name"] }

serveStdio(
  () => {
    const server = new McpServer({ name: "official", version: "2" }, { capabilities: { tools: { listChanged: true } } })
    server.registerTool("say", { description: "Says it back.", inputSchema: schema }, (input) => ({
      content: [{ type: "text", text: JSON.stringify(input) }],
    }))
    server.registerTool("enrol", { description: "Enrols.", inputSchema: schema }, async (_input, context) => {
      const given = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, "who")
      if (!given)
        return inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: "What is your name?", requestedSchema: form }) },
        })
      return { content: [{ type: "text", text: `Hello ${given.name}.` }] }
    })
    server.registerTool("grow", { description: "Adds a tool.", inputSchema: schema }, () => {
      server.registerTool("grown", { description: "New.", inputSchema: schema }, () => ({ content: [] }))
      return { content: [{ type: "text", text: "Grown." }] }
    })
    return server
  },
  process.argv[2] === "modern" ? { legacy: "reject" } : {},
)

/** Gives the model a tool that is a function of this program. */

import { createSdkMcpServer, query, tool } from "codewright"
import { z } from "zod"

const prices: { readonly [fruit: string]: number } = { apple: 0.4, pear: 0.6 }

const priceTool = tool(
  "price",
  "The price of a fruit in euros",
  { fruit: z.string().describe("Its name") },
  async ({ fruit }) => ({
    content: [{ type: "text", text: String(prices[fruit] ?? "unknown") }],
  }),
)

const options = {
  mcpServers: { shop: createSdkMcpServer({ name: "shop", tools: [priceTool] }) },
  allowedTools: ["mcp__shop__price"],
  tools: [],
}

for await (const message of query({ prompt: "What does a pear cost?", options }))
  if (message.type === "result" && message.subtype === "success") console.log(message.result)

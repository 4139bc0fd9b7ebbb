/** The answer to the older handshake is checked without the library's schemas, and a malformed one is refused. */

import { expect, test } from "bun:test"
import { Client, type Transport } from "@modelcontextprotocol/client"
import { checkHandshake } from "#ground/mcp/handshake.ts"
import type { JsonValue } from "#lib/json.ts"

const fine = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }

async function connected(result: JsonValue): Promise<string> {
  const client = new Client({ name: "test", version: "0" })
  checkHandshake(client)
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if ("method" in message && message.method === "initialize" && "id" in message)
        transport.onmessage?.({ jsonrpc: "2.0", id: message.id, result } as never)
    },
  }
  try {
    await client.connect(transport, { prior: { kind: "legacy" } })
    return `${client.getServerVersion()?.name} ${client.getNegotiatedProtocolVersion()}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const rows: readonly (readonly [JsonValue, string])[] = [
  [fine, "s 2025-06-18"],
  [{ ...fine, capabilities: { tools: { listChanged: "perhaps" } }, more: 1 }, "s 2025-06-18"],
  [{}, "protocolVersion must be a string"],
  [{ ...fine, protocolVersion: "2099-01-01" }, "protocol version is not supported"],
  [{ ...fine, capabilities: [] }, "capabilities must be an object"],
  [{ ...fine, serverInfo: { name: 7, version: "1" } }, "serverInfo must have"],
  [{ ...fine, instructions: ["do this"] }, "instructions must be a string"],
]

test.each(rows)("%j: %s", async (result, said) => {
  expect(await connected(result)).toContain(said)
})

/**
 * The answer to the older handshake is checked here: the library would build the schemas of a whole revision for it, which
 * takes half as long as a small server takes to start.
 */

import type { Client } from "@modelcontextprotocol/client"
import { isObject } from "#lib/json.ts"
import { anything } from "./ask-server.ts"

/** Its `request` with and without a schema. */
type Send = (request: { readonly method: string }, ...rest: readonly unknown[]) => Promise<unknown>

export function checkHandshake(client: Client): void {
  const send = client.request.bind(client) as Send
  const request: Send = async (asked, ...rest) => {
    if (asked.method !== "initialize") return send(asked, ...rest)
    const answer = await send(asked, anything, ...rest)
    const wrong = wrongWith(answer)
    if (wrong !== undefined) throw new Error(`The server's answer to initialize is not valid: ${wrong}.`)
    return answer
  }
  Object.assign(client, { request })
}

function wrongWith(answer: unknown): string | undefined {
  if (!isObject(answer)) return "it is no object"
  const { protocolVersion, capabilities, serverInfo, instructions } = answer
  if (typeof protocolVersion !== "string") return "protocolVersion must be a string"
  if (!isObject(capabilities)) return "capabilities must be an object"
  if (!isObject(serverInfo) || typeof serverInfo.name !== "string" || typeof serverInfo.version !== "string")
    return "serverInfo must have a name and a version"
  return instructions === undefined || typeof instructions === "string" ? undefined : "instructions must be a string"
}

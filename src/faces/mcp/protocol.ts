/** The two forms of the Model Context Protocol that clients speak, and what a request says about its client in each. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { type RpcError, rpcError } from "#lib/json-rpc.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Every request says what the client can do, and questions are results that the client comes back to. */
const perRequest = "2026-07-28"
/** Clients introduce themselves once, and questions are requests to them. Newest first. */
const perConnection = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const

/** `results`: a question ends the request, and the client repeats it with the answer. */
export interface McpClient {
  readonly asks: "by request" | "by result"
  readonly name: string
  readonly can: { readonly form: boolean; readonly url: boolean }
}

export interface ServerName {
  readonly name: string
  readonly title: string
  readonly version: string
}

export const unknownClient: McpClient = { asks: "by request", name: "", can: { form: false, url: false } }

const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`

/** `known`: what the client said when it introduced itself, for requests that say nothing about it. */
export function clientOf(params: JsonObject, known: McpClient): Result<McpClient, RpcError> {
  const { _meta: said } = params
  const meta = isObject(said) ? said : {}
  const requested = meta[metaKey("protocolVersion")]
  if (requested === undefined) return ok(known)
  if (requested !== perRequest)
    return failed({
      code: unsupportedVersion,
      message: `Unsupported protocol version: ${JSON.stringify(requested)}`,
      data: { supported: [perRequest], requested: typeof requested === "string" ? requested : "" },
    })
  const capabilities = meta[metaKey("clientCapabilities")]
  if (!isObject(capabilities))
    return failed(rpcError("params", `The request lacks _meta["${metaKey("clientCapabilities")}"].`))
  return ok({ asks: "by result", name: nameIn(meta[metaKey("clientInfo")]), can: abilities(capabilities) })
}

const unsupportedVersion = -32022

/** An ability without details is a form: pages came later. */
function abilities({ elicitation }: JsonObject): McpClient["can"] {
  if (!isObject(elicitation)) return unknownClient.can
  return { form: isObject(elicitation.form) || !isObject(elicitation.url), url: isObject(elicitation.url) }
}

const nameIn = (info: JsonValue | undefined): string =>
  isObject(info) && typeof info.name === "string" ? info.name : ""

export interface Introduction {
  readonly client: McpClient
  readonly result: JsonObject
}

export function introduce(params: JsonObject, server: ServerName, instructions: string): Introduction {
  const { protocolVersion, capabilities, clientInfo } = params
  const version = perConnection.find((one) => one === protocolVersion) ?? perConnection[0]
  return {
    client: {
      asks: "by request",
      name: nameIn(clientInfo),
      can: isObject(capabilities) ? abilities(capabilities) : unknownClient.can,
    },
    result: {
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { ...server },
      instructions,
    },
  }
}

export const discovery = (instructions: string): JsonObject => ({
  supportedVersions: [perRequest],
  capabilities: { tools: {} },
  instructions,
  ...uncached,
})

/** What a list may change with, such as settings, is not announced. */
export const uncached = { ttlMs: 0, cacheScope: "private" } as const

/** A result as the client's form of the protocol wants it. */
export const resultFor = ({ asks }: McpClient, server: ServerName, result: JsonObject): JsonObject =>
  asks === "by request"
    ? result
    : { resultType: "complete", ...result, _meta: { [metaKey("serverInfo")]: { ...server } } }

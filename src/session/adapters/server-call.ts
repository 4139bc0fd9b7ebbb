/** Calls a tool of an MCP server for the client. The client's wish is a yes; rules and safety checks still come first. */

import type { Next } from "#agent/words/middleware.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ServerCallResult } from "#session/port/query.ts"

export interface ServerCallParts {
  readonly servers: Pick<McpRoom, "toolOf" | "settle"> | undefined
  /** Through all layers. */
  readonly call: Next
  readonly ids: Ids
}

export async function callServer(
  { server, tool: name, input }: { readonly server: string; readonly tool: string; readonly input: JsonObject },
  { servers, call, ids }: ServerCallParts,
  signal: AbortSignal,
): Promise<Result<ServerCallResult, string>> {
  await servers?.settle(patienceMs, signal)
  const tool = servers?.toolOf(server, name)
  if (!tool) return failed(`There is no tool ${name} of an MCP server ${server} now.`)
  const parsed = tool.parse(input)
  if (!parsed.ok) return failed(parsed.message)
  const { content, isError, data } = await call({
    tool,
    input,
    parsed: parsed.value,
    footprint: tool.footprint(parsed.value),
    callId: `client-${ids.uuid()}`,
    within: "client",
    signal,
    progress: () => {},
    hook: { behavior: "allow", name: "the client" },
  })
  return ok({ content, isError, ...optional("data", data) })
}

/** It was asked for by name, so it is worth waiting for its server. */
const patienceMs = 30_000

/** Requests about MCP servers. */

import { ok } from "#lib/result.ts"
import { optional } from "#lib/optional.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { Answers } from "#session/port/query.ts"
import { type Control, type Controls, no } from "./control.ts"
import { serverStatus } from "./init-message.ts"

type ServerState = Answers["servers"][number]

export const serverControls: Controls = {
  async mcp_status(_, { session }) {
    return ok({ mcpServers: (await session.ask({ type: "servers" })).map(statusOf) })
  },

  mcp_reconnect: (request, parts, signal) => act("reconnect")(request, parts, signal),

  mcp_toggle: (request, parts, signal) => act(request.enabled === false ? "disable" : "enable")(request, parts, signal),

  async set_mcp_permission_mode_override({ serverName, mode }, { session, overrides }) {
    if (typeof serverName !== "string") return no("serverName must be a string.")
    if (mode === "auto") return no("Only the mode default can be set for one server, or null to take it back.")
    if (mode !== "default" && mode !== null) return no("mode must be default or null.", "invalid_mode")
    await overrides.set(serverName, mode === "default")
    const isKnown = (await session.ask({ type: "servers" })).some(({ name }) => name === serverName)
    return ok(isKnown ? {} : { warning: `There is no MCP server ${serverName} now.` })
  },

  async mcp_read_resource({ serverName, uri }, { session }, signal) {
    if (typeof serverName !== "string" || typeof uri !== "string") return no("serverName and uri must be strings.")
    const read = await session.ask({ type: "resource", server: serverName, uri }, signal)
    return read.ok ? ok({ contents: read.value }) : no(read.failure)
  },
}

const act =
  (how: "reconnect" | "enable" | "disable"): Control =>
  async ({ serverName: name }, { session }) => {
    if (typeof name !== "string") return no("serverName must be a string.")
    const servers = how === "reconnect" ? await session.ask({ type: "servers" }) : []
    if (servers.some((server) => server.name === name && server.status === "disabled"))
      return no(`The MCP server ${name} is disabled. Enable it first.`)
    const done = await session.submit({ type: "server", name, act: how })
    return done.ok ? ok(undefined) : no(opFailureWords(done.failure))
  }

export const statusOf = ({
  name,
  status,
  source,
  provenance,
  reason,
  identity,
  config,
  tools,
}: ServerState): object => ({
  name,
  status: serverStatus(status),
  ...optional("serverInfo", identity),
  ...optional("config", config),
  scope: scopes[source] ?? source,
  source: provenance,
  ...optional("error", status === "failed" ? reason : undefined),
  tools: tools.map(({ name: tool, description, annotations }) => ({
    name: tool,
    ...optional("description", description),
    annotations: {
      ...optional("readOnly", annotations?.readOnlyHint),
      ...optional("destructive", annotations?.destructiveHint),
      ...optional("openWorld", annotations?.openWorldHint),
    },
  })),
})

/** In the words of clients. */
const scopes: { readonly [source: string]: string } = { "command line": "dynamic", client: "dynamic" }

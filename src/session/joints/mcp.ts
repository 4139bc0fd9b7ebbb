/** The MCP servers of a session. Nothing is loaded where there are none. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import { type Ground, opensHost } from "./ground.ts"
import { connectPorts } from "./mcp-ground.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { SessionRules } from "#session/opening/rules.ts"

export interface McpParts extends Pick<SessionOptions, "mcp" | "place" | "sandbox" | "manner" | "clock" | "ids"> {
  readonly ground: Ground
  readonly rules: SessionRules
  readonly ask: Questions["ask"]
  readonly record: (body: EntryBody) => void
  /** Where warnings go, besides the session's own log. */
  readonly lineage: Pick<Lineage, "warn">
}

export async function openMcpRoom(parts: McpParts): Promise<McpRoom | undefined> {
  const { mcp, place, manner, clock, ground, rules, ask, record } = parts
  if (mcp === undefined || mcp.servers.length === 0) return undefined
  const [{ openMcp }, { openApprovals }, { openDefinitions }] = await Promise.all([
    import("#kits/mcp/room.ts"),
    import("#ground/mcp/approvals.ts"),
    import("#ground/mcp/definitions.ts"),
  ])
  const definitions = openDefinitions(place.stateFolder)
  const approvals = openApprovals(place.stateFolder)
  const warn = parts.lineage.warn((text) => record({ kind: "notice", level: "warning", text }))
  const ports = connectPorts({
    place,
    clock,
    ids: parts.ids,
    processes: ground.workspace.processes,
    enclose: parts.sandbox?.values.mcp ? ground.walls.encloseProgram : undefined,
    allowsPrivate: (host) => rules.now().some((rule) => opensHost(rule, host)),
  })
  const room = openMcp({
    servers: mcp.servers,
    async connect(server, host, signal) {
      const { connectMcp } = await import("#ground/mcp/connect.ts")
      return connectMcp(server, host, await ports(), signal)
    },
    roots: ground.folders.all,
    clock,
    ask,
    canAsk: manner.asks !== "nobody",
    approve: ({ name, fingerprint = "" }, isApproved) => approvals.keepServer(place.cwd, name, fingerprint, isApproved),
    known: {
      get: (tool) => approvals.tool(place.cwd, tool),
      set(tool, digest, definition) {
        for (const kept of [definitions.keep(digest, definition), approvals.keepTool(place.cwd, tool, digest)])
          if (!kept.ok) warn(kept.failure)
      },
      definition: definitions.find,
    },
    warn,
    limits: mcp.limits,
    patienceMs: Math.min(manner.patienceMs.servers, mcp.limits.startMs),
  })
  ground.folders.onAdded(room.rootsChanged)
  return room
}

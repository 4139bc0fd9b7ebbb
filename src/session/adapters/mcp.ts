/** The MCP servers of a session. Nothing is loaded where there are none. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { LongText } from "#ground/mcp/long-strings.ts"
import { keepBytes, openLongResult } from "#ground/transcript/keep.ts"
import type { McpChoice, McpLimits } from "#kits/mcp/ports.ts"
import { optional } from "#lib/optional.ts"
import { type Ground, opensHostToProject } from "./ground.ts"
import { connectPorts } from "./mcp-ground.ts"
import type { Journal } from "#session/journal/journal.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import { canElicit } from "#session/opening/manner.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { ServerCalls } from "./server-calls.ts"
import type { SessionServers } from "./session-servers.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { SessionRules } from "#session/opening/rules.ts"

export interface McpParts extends Pick<
  SessionOptions,
  "mcp" | "client" | "child" | "place" | "sandbox" | "manner" | "clock" | "ids"
> {
  readonly ground: Ground
  readonly rules: SessionRules
  readonly ask: Questions["ask"]
  /** Whether hooks may answer the questions of servers, even where nobody can be asked. */
  readonly answersForms: boolean
  readonly record: (body: EntryBody) => void
  /** The servers whose skills the model was given. */
  readonly skillsInUse: () => readonly string[]
  readonly journal: Pick<Journal, "record" | "sync" | "isSealed">
  readonly publish: (moment: Moment) => void
  /** Where warnings go, besides the session's own log. */
  readonly lineage: Pick<Lineage, "warn">
}

export async function openMcpRoom(parts: McpParts): Promise<SessionServers | undefined> {
  const { mcp } = parts
  // Agents use their parent's servers.
  const client = parts.child ? undefined : parts.client
  // A client may bring servers at any time.
  if (client === undefined && (mcp === undefined || mcp.servers.length === 0)) return undefined
  const choice = mcp ?? { limits: usualLimits, servers: [] }
  const { openServerCalls } = await import("./server-calls.ts")
  const calls = openServerCalls(parts.journal)
  const open = (): Promise<SessionServers> => openConnecting(parts, choice, calls)
  if (client !== undefined || choice.servers.some(({ held }) => held !== "disabled")) return open()
  const { openServersOff } = await import("./mcp-off.ts")
  return openServersOff(choice.servers, calls, open)
}

async function openConnecting(
  parts: McpParts,
  { limits, servers: configured }: McpChoice,
  calls: ServerCalls,
): Promise<SessionServers> {
  const { place, manner, clock, ground, rules, ask, record } = parts
  const client = parts.child ? undefined : parts.client
  const [{ openMcp }, { openApprovals }, { openDefinitions }, { insideServer, readClientServers }] = await Promise.all([
    import("#kits/mcp/room.ts"),
    import("#ground/mcp/approvals.ts"),
    import("#ground/mcp/definitions.ts"),
    import("#ground/mcp/client-servers.ts"),
  ])
  const allowsPrivate = (host: string): boolean => rules.now().some((rule) => opensHostToProject(rule, host))
  const definitions = openDefinitions(place.stateFolder)
  const approvals = openApprovals(place.stateFolder)
  const warn = parts.lineage.warn((text) => record({ kind: "notice", level: "warning", text }))
  const inside = client && (await import("#ground/mcp/in-client.ts")).openClientServers(client.port.mcpMessage)
  const ports = connectPorts({
    ...optional("inside", inside?.open),
    place,
    clock,
    ids: parts.ids,
    processes: ground.workspace.processes,
    enclose: parts.sandbox?.values.mcp ? ground.walls.encloseProgram : undefined,
    allowsPrivate,
  })
  const room = openMcp({
    servers: [
      ...configured.filter(({ name }) => !client?.servers?.includes(name)),
      ...(client?.servers ?? []).map((name) => insideServer(name, client?.serverSettings?.[name])),
    ],
    async connect(server, host, signal) {
      const { connectMcp } = await import("#ground/mcp/connect.ts")
      const longText = (): LongText | undefined => openLongResult(ground.sessionFolder, parts.ids.uuid())
      return connectMcp(server, host, { ...(await ports()), longText }, signal)
    },
    roots: ground.folders.all,
    clock,
    ask,
    calls,
    canAsk: manner.asks !== "nobody",
    canElicit: canElicit(manner) || parts.answersForms,
    elicited: (server, elicitationId) => parts.publish({ type: "elicitation_end", server, elicitationId }),
    approve: ({ name, fingerprint = "" }, isApproved) => approvals.keepServer(place.cwd, name, fingerprint, isApproved),
    resets: () => approvals.resets(place.cwd),
    keepDisabled: (name, isDisabled) => approvals.keepDisabled(place.cwd, name, isDisabled),
    async login(server, show, signal) {
      const { loginFrom } = await import("./mcp-login.ts")
      return loginFrom(server, { place, clock, ids: parts.ids, allowsPrivate, show }, signal)
    },
    known: {
      get: (tool) => approvals.tool(place.cwd, tool),
      set(tool, digest, definition) {
        for (const kept of [definitions.keep(digest, definition), approvals.keepTool(place.cwd, tool, digest)])
          if (!kept.ok) warn(kept.failure)
      },
      definition: definitions.find,
    },
    skillDigests: {
      get: (server, uri) => approvals.tool(place.cwd, skillKey(server, uri)),
      set(server, uri, digest) {
        const kept = approvals.keepTool(place.cwd, skillKey(server, uri), digest)
        if (!kept.ok) warn(kept.failure)
      },
    },
    skillsInUse: parts.skillsInUse,
    warn,
    save: (name, bytes) => keepBytes(ground.sessionFolder, name, bytes),
    limits,
    patienceMs: Math.min(manner.patienceMs.servers, limits.startMs),
  })
  ground.folders.onAdded(room.rootsChanged)
  return {
    ...room,
    kit: { ...room.kit, onEntry: calls.onEntry },
    hasTasks: calls.hasTasks,
    set: (servers) => room.replace(readClientServers(servers, place.childEnv())),
    receive: (server, message) => inside?.receive(server, message) ?? false,
  }
}

/** Among the tools that were allowed, none of which is called so. */
const skillKey = (server: string, uri: string): string => `skill ${server} ${uri}`

/** For a client that brings servers although none are configured. */
const usualLimits: McpLimits = { startMs: 30_000, callMs: 600_000, outputTokens: 25_000 }

/**
 * Which servers a session has: the configured ones, later ones overriding earlier ones of the same name, and which
 * may start.
 */

import { optional } from "#lib/optional.ts"
import type { JsonValue } from "#lib/json.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Approvals, openApprovals } from "./approvals.ts"
import { type ConfigPlaces, serversOfFlag, type WrittenServer, writtenServers } from "./config-files.ts"
import { localOrigin } from "./fetches.ts"
import { expandServer, fingerprintOf, readServer, type Variables, unsetWords, wishesIn } from "./read-config.ts"
import { type McpScope, mcpScopes, type McpServer, type McpServerConfig } from "./server-config.ts"

export interface ServersWanted extends ConfigPlaces {
  readonly scopes: readonly McpScope[]
  readonly given: readonly string[]
  /** Servers that plugins bring along. */
  readonly plugins?: readonly WrittenServer[]
  readonly variables: Variables
  /** The same without secrets, for a project's file. */
  readonly childVariables: Variables
  readonly project: readonly ProjectServer[]
  /** Whether the user trusts the folder; `declined`: trusted, but what is new in it was rejected. */
  readonly trust: "trusted" | "declined" | "none"
  /** Servers of the project's file that settings turn off. */
  readonly disabled: readonly string[]
  /** Whether a variable makes a program load or run something else. */
  readonly isLoader: (name: string) => boolean
  /** Whether a rule of the user names a host of this machine; when absent, none does. */
  readonly opensHost?: (host: string) => boolean
}

export interface ProjectServer {
  readonly name: string
  readonly value: JsonValue
  /** Whether the user approved it in its current form. */
  readonly isApproved: boolean
  /** Variables it would send away without the user's approval. */
  readonly withheld: readonly string[]
}

export interface FoundServers {
  readonly servers: readonly McpServer[]
  /** For the user: files that could not be read, and variables that servers miss. */
  readonly problems: readonly string[]
}

export function findServers(wanted: ServersWanted): Result<FoundServers, string> {
  const { servers: written, problems } = writtenServers(wanted, wanted.scopes)
  const flagged: WrittenServer[] = []
  for (const text of wanted.given) {
    const named = serversOfFlag(text, wanted.root)
    // What was asked for on the command line and cannot be had is an error, not a warning.
    if (!named.ok) return named
    flagged.push(...named.value)
  }
  const ofProject = wanted.project.map(({ name, value }): WrittenServer => ({
    name,
    source: "project",
    file: ".mcp.json",
    value,
  }))
  const rank = ({ source }: WrittenServer): number => mcpScopes.indexOf(source)
  const byName = new Map<string, WrittenServer>()
  for (const server of [...(wanted.plugins ?? []), ...written, ...ofProject, ...flagged].toSorted(
    (a, b) => rank(a) - rank(b),
  ))
    byName.set(server.name, server)
  const approvals = openApprovals(wanted.stateFolder)
  const off = byName.size === 0 ? [] : approvals.disabled(wanted.root)
  // Whoever names a server on the command line wants it now.
  const isOff = ({ name, source }: WrittenServer): boolean => source !== "command line" && off.includes(name)
  const servers = [...byName.values()].map((server): McpServer => {
    if (isOff(server) && server.source !== "project")
      return serverOff(server, () => understood(server, wanted, approvals))
    const read = { ...understood(server, wanted, approvals), ...wishesIn(server.value) }
    return isOff(server) ? { ...read, held: "disabled" } : read
  })
  const unset = servers.flatMap(({ name, held, config }) =>
    held === undefined && config.ok ? (unsetWords(name, config.value) ?? []) : [],
  )
  return ok({ servers, problems: [...problems, ...unset] })
}

/** What is written of it is read when somebody wants to see or start it. */
function serverOff({ name, source, value }: WrittenServer, read: () => McpServer): McpServer {
  const whole = lazily(read)
  return {
    name,
    source,
    held: "disabled",
    ...wishesIn(value),
    get config() {
      return whole().config
    },
  }
}

function understood(written: WrittenServer, wanted: ServersWanted, approvals: Approvals): McpServer {
  const { name, source, value, plugin, exact } = written
  const raw = nameProblem(name) ?? readServer(value)
  if (!raw.ok) return { name, source, config: raw }
  if (exact) return { name, source, config: ok(raw.value) }
  if (plugin)
    return { name, source, config: expandServer(withVariables(raw.value, plugin), { ...wanted.variables, ...plugin }) }
  if (source !== "project") return { name, source, config: expandServer(raw.value, wanted.variables) }
  const own = wanted.project.find((one) => one.name === name)
  const config = loaderProblem(raw.value, wanted) ?? expandServer(raw.value, wanted.childVariables, own?.withheld)
  const local = localAddress(config, wanted)
  // What is approved is the address that is shown; variables of a project's file could make it another port.
  const fingerprint = fingerprintOf(local ?? raw.value)
  const said = approvals.server(wanted.root, name, fingerprint)
  const isApproved = own?.isApproved === true && local === undefined
  const holdReason = heldBack(name, isApproved ? (said ?? true) : said, wanted, local && "local")
  return { name, source, config, fingerprint, ...optional("held", holdReason) }
}

/**
 * A server on this machine that no rule of the user names. Trusting a folder does not allow its files to reach what
 * else listens here: only a yes to the address itself does.
 */
function localAddress(
  config: Result<McpServerConfig, string>,
  { opensHost }: Pick<ServersWanted, "opensHost">,
): McpServerConfig | undefined {
  if (!config.ok || !("url" in config.value)) return undefined
  const origin = localOrigin(config.value.url)
  if (origin === undefined || opensHost?.(new URL(origin).hostname.replace(/^\[|\]$/g, ""))) return undefined
  return config.value
}

/** A program of a plugin finds its own files by these. */
const withVariables = (config: McpServerConfig, variables: { readonly [name: string]: string }): McpServerConfig =>
  config.kind === "stdio" ? { ...config, env: { ...variables, ...config.env } } : config

/** A server that an agent brings along. Whether it may start was decided with the agent. */
export function agentServer(
  { name, source, value, withheld }: Pick<WrittenServer, "name" | "source" | "value"> & Pick<ProjectServer, "withheld">,
  wanted: Pick<ServersWanted, "variables" | "childVariables" | "disabled" | "isLoader" | "opensHost">,
): McpServer {
  const raw = nameProblem(name) ?? readServer(value)
  if (!raw.ok) return { name, source, config: raw }
  if (source !== "project") return { name, source, config: expandServer(raw.value, wanted.variables) }
  const config = loaderProblem(raw.value, wanted) ?? expandServer(raw.value, wanted.childVariables, withheld)
  const local = localAddress(config, wanted)
  if (local) return { name, source, config: failed(localInAgent(local)) }
  return { name, source, config, ...(wanted.disabled.includes(name) && { held: "disabled" }) }
}

const localInAgent = (config: McpServerConfig): string =>
  `Its address ${"url" in config ? config.url : ""} is on this machine, which a project's agent may not reach by itself. If you want it, add the server yourself: codewright mcp add`

/** A project's file starts programs as they are, without loading others into them. */
function loaderProblem(
  config: McpServerConfig,
  { isLoader }: Pick<ServersWanted, "isLoader">,
): Result<never, string> | undefined {
  const loading = config.kind === "stdio" ? Object.keys(config.env).filter(isLoader) : []
  if (loading.length === 0) return undefined
  return failed(
    `It sets ${loading.join(" and ")}, which a project's file may not. If you want it, add the server yourself: codewright mcp add`,
  )
}

/** Names are shown in questions and to the model, so they must be plain names. */
export function nameProblem(name: string): Result<never, string> | undefined {
  // Nearly all names are like the first, and the tables behind the second take longer than thirty servers.
  const isPlain =
    name.length <= longestName && (/^[\w.:-]+$/.test(name) || /^[^\p{C}\p{Z}<>]+(?: [^\p{C}\p{Z}<>]+)*$/u.test(name))
  return isPlain ? undefined : failed(`Its name must be plain words of at most ${longestName} characters.`)
}

const longestName = 100

/**
 * A project's file starts nothing by itself: the user must have approved the server, with the folder, or in settings.
 */
function heldBack(
  name: string,
  said: boolean | undefined,
  { trust, disabled }: ServersWanted,
  otherwise: McpServer["held"] = "needs_approval",
): McpServer["held"] {
  if (disabled.includes(name) || said === false) return "disabled"
  if (trust === "none") return "untrusted"
  if (said === true) return undefined
  return trust === "declined" ? "untrusted" : otherwise
}

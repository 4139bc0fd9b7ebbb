/** Which servers a session has: what is configured, the later with the same name in place of the earlier, and what may start. */

import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Approvals, openApprovals } from "./approvals.ts"
import { type ConfigPlaces, givenServers, type WrittenServer, writtenServers } from "./config-files.ts"
import { expandServer, fingerprintOf, readServer, type Variables } from "./read-config.ts"
import { type McpScope, mcpScopes, type McpServer } from "./server-config.ts"

export interface ServersWanted extends ConfigPlaces {
  /** The scopes whose files are read. */
  readonly scopes: readonly McpScope[]
  /** What `--mcp-config` was given, in order. */
  readonly given: readonly string[]
  /** The person's own variables. */
  readonly variables: Variables
  /** The same without secrets, for what a project's file says. */
  readonly childVariables: Variables
  /** Whether the person believes the project's `.mcp.json` as it is now. */
  readonly trust: "all" | "approved" | "none"
  /** Servers of the project's file that settings name. */
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
}

export interface FoundServers {
  readonly servers: readonly McpServer[]
  /** For the person: files that could not be read. */
  readonly problems: readonly string[]
}

export function findServers(wanted: ServersWanted): Result<FoundServers, string> {
  const { servers: written, problems } = writtenServers(wanted, wanted.scopes)
  const flagged: WrittenServer[] = []
  for (const text of wanted.given) {
    const named = givenServers(text, wanted.root)
    // What was asked for on the command line and cannot be had is an error, not a warning.
    if (!named.ok) return named
    flagged.push(...named.value)
  }
  const rank = ({ source }: WrittenServer): number => mcpScopes.indexOf(source)
  const byName = new Map<string, WrittenServer>()
  for (const server of [...written, ...flagged].toSorted((a, b) => rank(a) - rank(b))) byName.set(server.name, server)
  const approvals = openApprovals(wanted.stateFolder)
  return ok({ servers: [...byName.values()].map((server) => understood(server, wanted, approvals)), problems })
}

function understood({ name, source, value }: WrittenServer, wanted: ServersWanted, approvals: Approvals): McpServer {
  const raw = nameProblem(name) ?? readServer(value)
  if (!raw.ok) return { name, source, config: raw }
  const variables = source === "project" ? wanted.childVariables : wanted.variables
  const config = expandServer(raw.value, variables)
  if (source !== "project") return { name, source, config }
  const fingerprint = fingerprintOf(raw.value)
  const held = heldBack(name, approvals.server(wanted.root, name, fingerprint), wanted)
  return { name, source, config, fingerprint, ...given("held", held) }
}

/** Names are shown in questions and before the model, so they are names and nothing else. */
function nameProblem(name: string): Result<never, string> | undefined {
  const isPlain = name.length <= longestName && /^[^\p{C}\p{Z}<>]+(?: [^\p{C}\p{Z}<>]+)*$/u.test(name)
  return isPlain ? undefined : failed(`Its name must be plain words of at most ${longestName} characters.`)
}

const longestName = 100

/** A project's file starts nothing by itself: the person said yes to the server, to the file, or in their settings. */
function heldBack(
  name: string,
  said: boolean | undefined,
  { trust, enabled, disabled }: ServersWanted,
): McpServer["held"] {
  if (disabled.includes(name) || said === false) return "disabled"
  if (trust === "none") return "untrusted"
  return trust === "all" || said === true || enabled.includes(name) ? undefined : "needs_approval"
}

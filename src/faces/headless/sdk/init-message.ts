/** What every turn begins with: the session as it is at that moment. */

import { optional } from "#lib/optional.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"
import type { Envelope } from "./envelope.ts"

export interface InitParts {
  readonly session: Pick<Session, "ask">
  readonly apiKeySource: string
  /** The protocol's, as clients compare it. */
  readonly version: string
  /** What was left out because the folder is not trusted, a line for each reason. */
  readonly leftOut?: readonly string[]
}

/** Waits for the MCP servers, as the first request does. */
export async function initMessage(
  { session, apiKeySource, version, leftOut = [] }: InitParts,
  { stamp }: Envelope,
): Promise<object> {
  const { ask } = session
  await ask({ type: "ready" })
  const [about, state, tools, servers, commands, skills, styles, { chosen }] = await Promise.all([
    ask({ type: "about" }),
    ask({ type: "state" }),
    ask({ type: "tools" }),
    ask({ type: "servers" }),
    ask({ type: "commands" }),
    ask({ type: "skills" }),
    ask({ type: "styles" }),
    ask({ type: "thinking" }),
  ])
  return {
    type: "system",
    subtype: "init",
    cwd: state.cwd,
    tools,
    mcp_servers: servers.map(({ name, status, provenance: source }) => ({
      name,
      status: serverStatus(status),
      source,
    })),
    model: state.model,
    permissionMode: state.mode,
    slash_commands: commands.map(({ name }) => name),
    apiKeySource,
    claude_code_version: version,
    output_style: styles.chosen,
    agents: about.agents ?? [],
    skills,
    plugins: about.plugins?.loaded ?? [],
    ...optional("plugin_errors", pluginErrors(about.plugins)),
    additional_directories: about.addedFolders,
    effort: chosen.effort ?? null,
    capabilities,
    ...(leftOut.length > 0 && { left_out: leftOut }),
    ...stamp(),
  }
}

/** Undefined if there are none. */
function pluginErrors(plugins: SessionAbout["plugins"]): readonly object[] | undefined {
  if (!plugins || plugins.problems.length === 0) return undefined
  return plugins.problems.map(({ plugin, path, message }) => ({
    plugin,
    type: path === undefined ? "component-load-failed" : "plugin-load-failed",
    message,
    ...optional("path", path),
  }))
}

/** What clients may rely on beyond the first version of the protocol, each by its name there. */
const capabilities: readonly string[] = [
  "interrupt_receipt_v1",
  "interrupt_cancel_queued_v1",
  "mcp_read_resource_v1",
  "reload_plugins_refuse_if_busy_v1",
]

/** In the words of clients. */
export const serverStatus = (status: string): string =>
  ({ connecting: "pending", needs_approval: "pending", needs_login: "needs-auth" })[status] ?? status

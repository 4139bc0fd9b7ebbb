/** The MCP servers that agents bring along. Nothing is loaded where none does. */

import { childEnvironment, isLoaderVariable } from "#ground/settings/child-environment.ts"
import type { McpScope, McpServer } from "#ground/mcp/server-config.ts"
import type { AgentDefinition, AgentServer, AgentSource } from "#kits/subagents/definition.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { mcpLimits } from "./mcp-servers.ts"
import { allowsPrivateHost } from "./allows-private-host.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface AgentServers {
  /** Undefined where no agent brings one. */
  readonly of: SessionOptions["agentServers"]
  readonly warnings: readonly string[]
}

/** `configured`: the servers of the session. One of the same name as an agent's own is used instead of it. */
export async function agentServers(
  definitions: readonly AgentDefinition[],
  configured: readonly Pick<McpServer, "name">[],
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<AgentServers> {
  const isConfigured = (name: string): boolean => configured.some((server) => server.name === name)
  const mayBring = ({ source }: AgentDefinition): boolean => source === "command line" || !args.has("strict-mcp-config")
  const ownOf = (definition: AgentDefinition): readonly AgentServer[] =>
    mayBring(definition) ? (definition.ownServers ?? []).filter(({ name }) => !isConfigured(name)) : []
  const named = definitions.flatMap((definition) => nameWarnings(definition, isConfigured))
  const bringing = definitions.filter((definition) => ownOf(definition).length > 0)
  if (bringing.length === 0) return { of: undefined, warnings: named }
  const { agentServer } = await import("#ground/mcp/servers.ts")
  const { loaded } = setting
  const wanted = {
    variables: loaded.env,
    childVariables: childEnvironment(loaded.env),
    disabled: loaded.settings.disabledMcpjsonServers ?? [],
    isLoader: isLoaderVariable,
    opensHost: allowsPrivateHost(loaded.rules),
  }
  const serversOf = (definition: AgentDefinition): readonly McpServer[] =>
    ownOf(definition).map((server) =>
      agentServer({ withheld: [], ...server, source: scopes[definition.source] }, wanted),
    )
  const wrong = bringing.flatMap((definition) =>
    serversOf(definition).flatMap(({ name, config }) =>
      config.ok ? [] : [`${whereOf(definition)}: the MCP server ${name} is left out. ${config.failure}`],
    ),
  )
  return {
    warnings: [...named, ...wrong],
    of(definition) {
      const servers = serversOf(definition).filter(({ config }) => config.ok)
      return servers.length === 0 ? undefined : { servers, limits: mcpLimits(setting) }
    },
  }
}

const whereOf = ({ path, agentType }: AgentDefinition): string => path ?? `--agents ${agentType}`

function nameWarnings(definition: AgentDefinition, isConfigured: (name: string) => boolean): readonly string[] {
  const { mcpServers = [], ownServers = [] } = definition
  return mcpServers.flatMap((name) => {
    const isOwn = ownServers.some((server) => server.name === name)
    if (isOwn !== isConfigured(name)) return []
    const words = isOwn
      ? `the MCP server ${name} is configured already, and that one is used.`
      : `there is no MCP server ${name}; the agent works without it.`
    return [`${whereOf(definition)}: ${words}`]
  })
}

const scopes: { readonly [source in AgentSource]: McpScope } = {
  "built-in": "user",
  plugin: "plugin",
  user: "user",
  project: "project",
  "command line": "command line",
}

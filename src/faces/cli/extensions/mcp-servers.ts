/** The MCP servers that flags, files and settings give a session. Nothing is loaded where there is no such file. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { childEnvironment, isLoaderVariable } from "#ground/settings/child-environment.ts"
import { settingSources } from "#ground/settings/sources.ts"
import type { FoundServers } from "#ground/mcp/servers.ts"
import type { McpChoice, McpLimits } from "#kits/mcp/ports.ts"
import { lazily } from "#lib/lazily.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { allowsPrivateHost } from "./allows-private-host.ts"
import { noPlugins, type Plugins } from "./plugins.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface McpSetting {
  readonly choice?: McpChoice
  readonly warnings: readonly string[]
}

export async function mcpSetting(
  args: Arguments<FlagName>,
  setting: StartupContext,
  plugins: Plugins = noPlugins,
): Promise<Result<McpSetting, StartFailure>> {
  const isNone =
    plugins.servers.length === 0 &&
    setting.loaded.servers.length === 0 &&
    !configFiles(setting).some((file) => existsSync(file))
  if (!args.has("mcp-config") && isNone) return ok({ warnings: [] })
  const found = await foundServers(args, setting, plugins)
  if (!found.ok) return found
  const { servers, problems } = found.value
  return ok({ choice: { servers, limits: mcpLimits(setting) }, warnings: problems })
}

export function mcpLimits({ environment }: Pick<StartupContext, "environment">): McpLimits {
  const { mcpTimeoutMs, mcpToolTimeoutMs, maxMcpOutputTokens } = environment
  return { startMs: mcpTimeoutMs, callMs: mcpToolTimeoutMs, outputTokens: maxMcpOutputTokens }
}

export async function foundServers(
  args: Arguments<FlagName>,
  setting: StartupContext,
  plugins: Plugins = noPlugins,
): Promise<Result<FoundServers, StartFailure>> {
  const [{ findServers }, { markReaders }] = await Promise.all([
    import("#ground/mcp/servers.ts"),
    import("#ground/mcp/readers.ts"),
  ])
  const { cwd, state, loaded } = setting
  const scopes = args.has("strict-mcp-config") ? [] : (setting.loading.extensions ?? settingSources)
  const childVariables = lazily(() => childEnvironment(loaded.env))
  const found = findServers({
    root: cwd,
    stateFolder: state,
    claudeFile: claudeFile(setting),
    scopes,
    project: scopes.includes("project") ? loaded.servers : [],
    given: args.list("mcp-config"),
    plugins: args.has("strict-mcp-config") ? [] : plugins.servers,
    variables: loaded.env,
    get childVariables() {
      return childVariables()
    },
    trust: !setting.trusted ? "none" : setting.declined ? "declined" : "trusted",
    disabled: loaded.settings.disabledMcpjsonServers ?? [],
    isLoader: isLoaderVariable,
    opensHost: allowsPrivateHost(loaded.rules),
  })
  if (!found.ok) return usage(found.failure)
  return ok({ ...found.value, servers: markReaders(found.value.servers, loaded.settings.readOnlyMcpServers ?? []) })
}

const claudeFile = ({ environment, home }: Pick<StartupContext, "environment" | "home">): string =>
  join(environment.claudeFolder ?? home, ".claude.json")

const configFiles = (setting: StartupContext): readonly string[] => [
  join(setting.state, "mcp.json"),
  claudeFile(setting),
]

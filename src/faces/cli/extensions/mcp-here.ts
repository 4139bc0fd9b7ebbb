/** The MCP servers of the folder we are in, for commands about them. */

import type { McpServer } from "#ground/mcp/server-config.ts"
import { nearNames } from "#lib/near.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { findPlugins } from "./plugins.ts"
import { foundServers } from "./mcp-servers.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"

export async function settingHere(io: Io): Promise<StartupContext | undefined> {
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (setting?.ok) return setting.value
  io.fail(setting?.failure.message ?? "the settings cannot be read")
  return undefined
}

export async function serversHere(
  io: Io,
): Promise<{ readonly setting: StartupContext; readonly servers: readonly McpServer[] } | undefined> {
  const setting = await settingHere(io)
  const none = parseArguments<FlagName>([], flags)
  if (!setting || !none.ok) return undefined
  const found = await foundServers(none.value, setting, await findPlugins(none.value, setting))
  if (!found.ok) {
    io.fail(found.failure.message)
    return undefined
  }
  for (const problem of found.value.problems) io.warn(problem)
  return { setting, servers: found.value.servers }
}

export async function namedServer(
  words: readonly string[],
  io: Io,
): Promise<{ readonly setting: StartupContext; readonly server: McpServer } | undefined> {
  const [name, ...more] = words
  const found = name === undefined || more.length > 0 ? undefined : await serversHere(io)
  if (name === undefined || more.length > 0) io.fail("Name one server. List servers with: codewright mcp list")
  const server = found?.servers.find((one) => one.name === name)
  if (found && server) return { setting: found.setting, server }
  if (found && name !== undefined) {
    const near = nearNames(
      name,
      found.servers.map((one) => one.name),
      1,
    )[0]
    io.fail(`No MCP server '${name}'${near ? `; did you mean ${near}?` : ". List servers with: codewright mcp list"}`)
  }
  return undefined
}

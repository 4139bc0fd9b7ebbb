/** Changes to which MCP servers are configured, and to what was said about them. */

import { openApprovals } from "#ground/mcp/approvals.ts"
import { type WritableScope, writeServer } from "#ground/mcp/config-files.ts"
import { fingerprintOf, readServer } from "#ground/mcp/read-config.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { isLendable } from "#ground/settings/child-environment.ts"
import { serverLines } from "#ground/settings/project-lines.ts"
import { trustMore } from "#ground/settings/trust.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { Io } from "#faces/cli/io.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { McpFlag } from "#faces/cli/flags/mcp-flags.ts"
import { settingHere } from "./mcp-here.ts"

export async function add(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const [name, target, ...more] = args.rest
  if (name === undefined || target === undefined)
    return io.fail("add takes a name and a program or a URL: codewright mcp add <name> -- <program> [arguments]")
  const variables = pairs(args.list("env"), "=")
  if (!variables.ok) return io.fail(`-e takes NAME=value, not '${variables.failure}'.`)
  const headers = pairs(args.list("header"), ":")
  if (!headers.ok) return io.fail(`--header takes "Name: value", not '${headers.failure}'.`)
  const transport = args.value("transport") ?? "stdio"
  if (transport === "stdio" && /^https?:\/\//.test(target))
    return io.fail(`${target} is a URL: add --transport http (or sse).`)
  if (transport === "stdio" && (args.has("client-id") || args.has("callback-port")))
    return io.fail("--client-id and --callback-port are for servers at a URL: add --transport http.")
  if (transport !== "stdio" && more.length > 0)
    return io.fail(`A server at a URL takes no arguments: ${more.join(" ")}`)
  return save(
    args,
    name,
    transport === "stdio"
      ? { type: "stdio", command: target, args: more, env: variables.value }
      : { type: transport, url: target, ...(args.has("header") && { headers: headers.value }), ...oauthOf(args) },
    io,
  )
}

/** The port is checked with the rest of the server. */
function oauthOf(args: Arguments<McpFlag>): { readonly oauth?: JsonObject } {
  const [clientId, port] = [args.value("client-id"), args.value("callback-port")]
  if (clientId === undefined && port === undefined) return {}
  return { oauth: { ...optional("clientId", clientId), ...(port !== undefined && { callbackPort: Number(port) }) } }
}

export async function addJson(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const [name, text, ...more] = args.rest
  if (name === undefined || text === undefined || more.length > 0)
    return io.fail(`add-json takes a name and JSON: codewright mcp add-json files '{"command":"npx","args":["…"]}'`)
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return await save(args, name, value, io)
  } catch (error) {
    return io.fail(`That is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return io.fail("The server must be a JSON object.")
}

async function save(args: Arguments<McpFlag>, name: string, server: JsonObject, io: Io): Promise<number> {
  const config = readServer(server)
  if (!config.ok) return io.fail(config.failure)
  const setting = await settingHere(io)
  if (!setting) return 1
  const scope = scopeOf(args) ?? "local"
  const places = { root: setting.cwd, stateFolder: setting.state }
  const written = writeServer(scope, places, name, server)
  if (!written.ok) return io.fail(written.failure)
  // Whoever adds a server to the project's file has said yes to it.
  if (scope === "project") {
    const kept = openApprovals(setting.state).keepServer(setting.cwd, name, fingerprintOf(config.value), true)
    if (!kept.ok) io.warn(kept.failure)
    const isSecret = (variable: string): boolean => isLendable(variable, setting.loaded.env[variable])
    const { line, secrets } = serverLines({ file: ".mcp.json", isSecret }, name, server)
    const trusted = trustMore(setting, setting.cwd, [line, ...secrets.map((secret) => secret.line)])
    if (!trusted.ok) io.warn(trusted.failure)
  }
  io.say(`${written.value.wasThere ? "Changed" : "Added"} ${name} (${scope}) in ${written.value.file}`)
  return 0
}

export async function remove(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const [name, ...more] = args.rest
  if (name === undefined || more.length > 0) return io.fail("remove takes one name: codewright mcp remove <name>")
  const setting = await settingHere(io)
  if (!setting) return 1
  const requestedScope = scopeOf(args)
  const removed: string[] = []
  for (const scope of requestedScope === undefined ? scopes : [requestedScope]) {
    const written = writeServer(scope, { root: setting.cwd, stateFolder: setting.state }, name, undefined)
    if (!written.ok) return io.fail(written.failure)
    if (written.value.wasThere) removed.push(`${scope}, ${written.value.file}`)
    // Without a scope the nearest one is meant.
    if (removed.length > 0) break
  }
  if (removed.length === 0)
    return io.fail(
      `${name} is not configured${requestedScope === undefined ? " in any file" : ` in the scope ${requestedScope}`}. List servers with: codewright mcp list`,
    )
  io.say(`Removed ${name} (${removed.join("; ")})`)
  return 0
}

/** Binds to what the server is now: another address or program is asked about again. */
export function approve({ cwd, state, trusted }: StartupContext, server: McpServer, io: Io): number {
  const { name, source, config, fingerprint } = server
  if (source !== "project") return io.fail(`${name} is one of your own servers (${source}) and needs no approval.`)
  if (!config.ok) return io.fail(config.failure)
  if (!trusted) return io.fail("This folder is not trusted yet. To trust it: codewright trust")
  const kept = openApprovals(state).keepServer(cwd, name, fingerprint ?? "", true)
  if (!kept.ok) return io.fail(kept.failure)
  const { value } = config
  const what = value.kind === "stdio" ? [value.command, ...value.args].join(" ") : "url" in value ? value.url : ""
  io.say(`Approved ${name}: ${maskSecrets(what)}`)
  return 0
}

export async function resetApprovals(io: Io): Promise<number> {
  const setting = await settingHere(io)
  if (!setting) return 1
  const forgotten = openApprovals(setting.state).forget(setting.cwd)
  if (!forgotten.ok) return io.fail(forgotten.failure)
  const { servers, tools } = forgotten.value
  io.say(`Forgot your approvals of ${servers} servers and ${tools} tools in this folder.`)
  return 0
}

const scopes: readonly WritableScope[] = ["local", "project", "user"]

/** The parser has checked the value. */
const scopeOf = (args: Arguments<McpFlag>): WritableScope | undefined =>
  args.value("scope") as WritableScope | undefined

/** `NAME=value` or `Name: value`, split at the first mark; fails with the text that has none. */
function pairs(texts: readonly string[], mark: string): Result<Record<string, string>, string> {
  const split: [string, string][] = []
  for (const text of texts) {
    const at = text.indexOf(mark)
    if (at <= 0) return failed(text)
    split.push([text.slice(0, at).trim(), mark === ":" ? text.slice(at + 1).trim() : text.slice(at + 1)])
  }
  return ok(Object.fromEntries(split))
}

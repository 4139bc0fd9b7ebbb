/** `codewright mcp`: the servers that are configured, how they stand, and changes to them. */

import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import { nearNames } from "#lib/near.ts"
import { printable } from "#lib/printable.ts"
import { type Arguments, parseArguments } from "./argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./command-help.ts"
import type { Io } from "./io.ts"
import { add, addJson, remove, resetApprovals } from "./mcp-change.ts"
import { type McpFlag, mcpFlags } from "./mcp-flags.ts"
import { namedServer, serversHere } from "./mcp-here.ts"
import { changeMark, markWords } from "./mcp-read-only.ts"

const help: CommandHelp = {
  usage: ["codewright mcp <verb>"],
  about:
    "Servers bring tools, resources and prompts. Those of a project's .mcp.json start once you have trusted the folder, or said yes to each.",
  verbs: [
    ["list [--json]", "Every server of this folder; each that may start is tried."],
    ["get <name> [--json]", "One server: how it is configured, how it stands, its tools."],
    ["add <name> [options] -- <program> [arguments]", "Add a program."],
    ["add <name> --transport http|sse [options] <url>", "Add an address."],
    ["add-json <name> <json> [--scope]", "Add a server as .mcp.json writes it."],
    ["remove <name> [--scope]", "Remove a server."],
    ["login <name>, logout <name>", "Log in to an address in the browser, or forget the login."],
    [
      "read-only <name> [off]",
      "Mark one of your own servers as read-only, so that its tools can be used in plan mode and by read-only agents.",
    ],
    ["reset-approvals", "Ask again about servers of this folder and about tools that were allowed."],
  ],
  table: mcpFlags,
  examples: [
    "codewright mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "codewright mcp add issues --transport http https://example.com/mcp",
  ],
}

export async function mcpCommand(argv: readonly string[], io: Io): Promise<number> {
  const [verb = "list", ...words] = argv
  // What stands behind `--` belongs to the program that is added.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv
  if (asksForHelp(own)) {
    io.write(commandHelp(help))
    return 0
  }
  const parsed = parseArguments(words, mcpFlags)
  if (!parsed.ok) return io.fail(`${parsed.failure.message}. Flags of the program go behind --.`)
  const args = parsed.value
  switch (verb) {
    case "list":
      return list(args, io)
    case "get":
      return get(args, io)
    case "add":
      return add(args, io)
    case "add-json":
      return addJson(args, io)
    case "remove":
      return remove(args, io)
    case "login":
    case "logout": {
      const server = await namedServer(args.rest, io)
      return server ? (await import("./mcp-login.ts"))[verb](server.setting, server.server, io) : 1
    }
    case "read-only":
      return changeMark(args, io)
    case "reset-approvals":
      return resetApprovals(io)
    default: {
      const near = nearNames(
        verb,
        ["list", "get", "add", "add-json", "remove", "login", "logout", "read-only", "reset-approvals"],
        1,
      )[0]
      return io.fail(
        `mcp has no verb '${verb}'${near ? `; did you mean ${near}?` : "; codewright mcp --help lists them."}`,
      )
    }
  }
}

async function list(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const found = await serversHere(io)
  if (!found) return 1
  const { checkServers, standWords } = await import("./mcp-check.ts")
  const checked = await checkServers(found.servers, found.setting)
  if (args.has("json")) {
    io.write(
      `${JSON.stringify(checked.map(({ name, source, kind, status, readOnly, reason }) => ({ name, source, kind, status, readOnly, reason })))}\n`,
    )
    return 0
  }
  if (checked.length === 0) io.write("There are no MCP servers. codewright mcp add <name> -- <program> adds one.\n")
  for (const state of checked) {
    const server = found.servers.find(({ name }) => name === state.name)
    io.write(
      `${printable([`${state.name} (${state.source}): ${server ? deedOf(server) : ""}`, standWords(state), ...markWords(state, found.setting)].join("\n  "))}\n`,
    )
  }
  return 0
}

async function get(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const found = await namedServer(args.rest, io)
  if (!found) return 1
  const { checkServers, standWords } = await import("./mcp-check.ts")
  const [state] = await checkServers([found.server], found.setting)
  if (!state) return 1
  if (args.has("json")) {
    io.write(`${JSON.stringify(state)}\n`)
    return 0
  }
  const lines = [
    `${state.name} (${state.source}): ${deedOf(found.server)}`,
    `  ${standWords(state)}`,
    ...markWords(state, found.setting).map((line) => `  ${line}`),
    ...(state.stderrTail === undefined ? [] : [`  It printed: ${state.stderrTail}`]),
    ...state.tools.map(({ name, description = "" }) =>
      `  ${name}  ${description.split("\n", 1)[0]?.slice(0, 100) ?? ""}`.trimEnd(),
    ),
  ]
  io.write(`${printable(lines.join("\n"))}\n`)
  return 0
}

/** What it would start or reach, without what may be secret. */
function deedOf({ config }: McpServer): string {
  return config.ok ? deed(config.value) : "not understood"
}

const deed = (config: McpServerConfig): string =>
  config.kind === "stdio" ? [config.command, ...config.args].join(" ") : `${config.url} (${config.kind})`

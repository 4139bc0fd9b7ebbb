/** `codewright mcp`: the servers that are configured, how they stand, and changes to them. */

import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import { nearNames } from "#lib/near.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { add, addJson, approve, remove, resetApprovals } from "./mcp-change.ts"
import { type McpFlag, mcpFlags } from "#faces/cli/flags/mcp-flags.ts"
import { mcpServeFlags } from "#faces/cli/flags/mcp-serve-flags.ts"
import { namedServer, serversHere } from "./mcp-here.ts"
import { changeMark, markWords } from "./mcp-read-only.ts"

export const help: CommandHelp = {
  usage: ["codewright mcp <verb>"],
  about:
    "MCP servers provide tools, resources and prompts. Servers in a project's .mcp.json start only after you trust the folder or approve each one.",
  verbs: [
    ["list [--json]", "List the servers of this folder, and try to connect to each that may start."],
    ["get <name> [--json]", "Show one server: configuration, state and tools."],
    ["add <name> [options] -- <program> [arguments]", "Add a server that runs as a local program."],
    ["add <name> --transport http|sse [options] <url>", "Add a server at a URL."],
    ["add-json <name> <json> [--scope]", "Add a server from JSON, in the form of .mcp.json."],
    ["remove <name> [--scope]", "Remove a server."],
    ["login <name>", "Log in to a remote server in the browser."],
    ["logout <name>", "Log out of a remote server."],
    ["approve <name>", "Approve a server of this folder's .mcp.json as it is now, also one on this machine."],
    [
      "read-only <name> [off]",
      "Mark one of your own servers as read-only, so that its tools can be used in plan mode and by read-only agents.",
    ],
    [
      "serve [options]",
      "Run as an MCP server: the tools and the agent of Codewright for other programs. serve --help lists its options.",
    ],
    ["reset-approvals", "Forget your approvals of servers and tools in this folder, so that you are asked again."],
  ],
  table: [...mcpFlags, ...mcpServeFlags.map((flag) => ({ ...flag, about: `With serve: ${flag.about}` }))],
  examples: [
    "codewright mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "codewright mcp add issues --transport http https://example.com/mcp",
    "codewright mcp serve --tools Read,Glob,Grep,agent",
  ],
}

export async function mcpCommand(argv: readonly string[], io: Io): Promise<number> {
  const [verb = "list", ...words] = argv
  if (verb === "serve") return (await import("./mcp-serve.ts")).serveTools(words, io)
  // What stands behind `--` belongs to the program that is added.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv
  if (asksForHelp(own)) {
    io.write(commandHelp(help))
    return 0
  }
  const parsed = parseArguments(words, mcpFlags)
  if (!parsed.ok) return io.fail(`${parsed.failure.message}. Put the program's own flags after --.`)
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
    case "approve": {
      const found = await namedServer(args.rest, io)
      return found ? approve(found.setting, found.server, io) : 1
    }
    case "reset-approvals":
      return resetApprovals(io)
    default: {
      const near = nearNames(
        verb,
        [
          "list",
          "get",
          "add",
          "add-json",
          "remove",
          "login",
          "logout",
          "approve",
          "read-only",
          "serve",
          "reset-approvals",
        ],
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
  const { checkServers, statusText: standWords } = await import("./mcp-check.ts")
  const checked = await checkServers(found.servers, found.setting)
  if (args.has("json")) {
    io.write(
      `${JSON.stringify(checked.map(({ name, source, kind, status, readOnly, reason }) => ({ name, source, kind, status, readOnly, reason })))}\n`,
    )
    return 0
  }
  if (checked.length === 0) io.say("No MCP servers. Add one with: codewright mcp add <name> -- <program>")
  for (const state of checked) {
    const server = found.servers.find(({ name }) => name === state.name)
    const head = `${state.name} (${state.source}): ${server ? describeServer(server) : ""}`
    io.say([head, standWords(state), ...markWords(state, found.setting)].join("\n  "))
  }
  return 0
}

async function get(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const found = await namedServer(args.rest, io)
  if (!found) return 1
  const { checkServers, statusText: standWords } = await import("./mcp-check.ts")
  const [state] = await checkServers([found.server], found.setting)
  if (!state) return 1
  if (args.has("json")) {
    io.write(`${JSON.stringify(state)}\n`)
    return 0
  }
  const lines = [
    `${state.name} (${state.source}): ${describeServer(found.server)}`,
    `  ${standWords(state)}`,
    ...markWords(state, found.setting).map((line) => `  ${line}`),
    ...(state.stderrTail === undefined ? [] : [`  Error output: ${state.stderrTail}`]),
    ...state.tools.map(({ name, description = "" }) =>
      `  ${name}  ${description.split("\n", 1)[0]?.slice(0, 100) ?? ""}`.trimEnd(),
    ),
  ]
  io.say(lines.join("\n"))
  return 0
}

/** Without what may be secret. */
function describeServer({ config }: McpServer): string {
  return config.ok ? describeConfig(config.value) : "not understood"
}

function describeConfig(config: McpServerConfig): string {
  if (config.kind === "sdk") return "inside the client"
  return config.kind === "stdio" ? [config.command, ...config.args].join(" ") : `${config.url} (${config.kind})`
}

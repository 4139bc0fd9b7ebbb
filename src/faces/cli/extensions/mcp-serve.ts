/** `codewright mcp serve`: our tools and a whole agent as an MCP server, over standard input and output. */

import { basename, resolve } from "node:path"
import { agentName, type AgentRequest, type OpenedAgent } from "#faces/mcp/agent-tool.ts"
import type { ClientModel } from "#faces/mcp/client-model.ts"
import { type McpRun, runMcp } from "#faces/mcp/run.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { mcpServeFlags } from "#faces/cli/flags/mcp-serve-flags.ts"
import { type SettledOptions, watchRules } from "#faces/cli/flags/session-options.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { onSignals } from "#faces/cli/signals.ts"
import { startSession } from "#faces/cli/start.ts"
import { readSetting, realFolder, type StartupContext } from "#faces/cli/startup-context.ts"
import { factsByName } from "#ground/models/by-name.ts"
import { isSessionId } from "#ground/transcript/session-logs.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { linesIn } from "#lib/input-lines.ts"
import { liesIn } from "#lib/lies-in.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { Session } from "#session/port/session.ts"

/** Those that need no model and nobody to talk to. */
const served = [
  "Read",
  "Glob",
  "Grep",
  "LS",
  "Edit",
  "MultiEdit",
  "Write",
  "NotebookRead",
  "NotebookEdit",
  "Bash",
  "BashOutput",
  "KillShell",
]

export const help: CommandHelp = {
  usage: ["codewright mcp serve [options]"],
  about: `Runs as an MCP server over standard input and output; another program starts it. It offers ${served.join(", ")}, and ${agentName}, which gives a whole task to Codewright. --tools chooses among them. Permission rules apply as in the terminal: what they do not allow is asked through the client, or refused if the client has no elicitation.`,
  verbs: [],
  table: mcpServeFlags,
  examples: [
    "codewright mcp serve",
    "codewright mcp serve --tools Read,Glob,Grep",
    'codewright mcp serve --tools agent --allowed-tools "Bash(npm test:*)"',
  ],
}

export async function serveTools(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const parsed = parseArguments<FlagName>(argv, mcpServeFlags)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  if (parsed.value.rest.length > 0)
    return io.fail(`mcp serve takes no prompt, and got '${parsed.value.rest.join(" ")}'. MCP clients send calls.`)
  const chosen = chooseServed(parsed.value)
  if (!chosen.ok) return io.fail(chosen.failure)
  const stop = new AbortController()
  const signals = onSignals(() => stop.abort(), systemClock)
  void io.readerGone.then(() => stop.abort())
  await runMcp({
    ...openProgramSide(parsed.value, chosen.value, io),
    input: linesIn(Bun.stdin.stream()),
    send: io.write,
    written: async () => void (await io.flushed()),
    stop: stop.signal,
    version,
    ids: systemIds,
    clock: systemClock,
  })
  return signals.code() ?? 0
}

interface Served {
  readonly tools: readonly string[]
  readonly agent: boolean
  /** The tools of the agent; all when absent. */
  readonly agentTools?: readonly string[]
}

/** `--tools` limits the agent, too, unless it names nothing but the agent. */
function chooseServed(args: Arguments<FlagName>): Result<Served, string> {
  const names = args.list("tools")
  if (!args.has("tools") || names.includes("default")) return ok({ tools: served, agent: true })
  const unknown = names.find((name) => name !== agentName && !served.includes(name))
  if (unknown !== undefined)
    return failed(`mcp serve has no tool ${unknown}. It can serve ${[...served, agentName].join(", ")}.`)
  const tools = names.filter((name) => name !== agentName)
  return ok({ tools, agent: names.includes(agentName), ...(tools.length > 0 && { agentTools: tools }) })
}

function openProgramSide(
  args: Arguments<FlagName>,
  { tools, agent, agentTools }: Served,
  io: Io,
): Pick<McpRun, "tools" | "openTools" | "openAgent" | "offersAgent"> {
  const warned = new Set<string>()
  const warn = (lines: readonly string[]): void => {
    for (const line of lines) if (!warned.has(line)) io.warn(line)
    for (const line of lines) warned.add(line)
  }
  return {
    tools,
    offersAgent: agent,
    openTools: (model) => openTools(args, tools, model, warn),
    openAgent: (request) => openAgent(args, agentTools, request, warn),
  }
}

/** No model is asked here, so none has to be configured; a resumed session uses the one that is. */
const noModel = "sim"

async function openTools(
  args: Arguments<FlagName>,
  tools: readonly string[],
  model: ClientModel,
  warn: (lines: readonly string[]) => void,
): Promise<Result<Session, string>> {
  const own = withFlags(args, { model: [noModel], tools })
  const setting = await readSetting(own)
  if (!setting.ok) return failed(setting.failure.message)
  const started = await startSession(own, setting.value, "headless", {
    asks: "client",
    watched: () => model,
    // Nothing is sent anywhere, so nothing has to fit.
    factsOf: (id) => ({ ...factsByName(id), window: Number.MAX_SAFE_INTEGER, profile: "full" }),
    shape: (options) => {
      const { mcp: _servers, agentServers: _agents, limits, ...rest } = options
      const { concurrency, graceMs, repeats, thinking } = limits
      // Calls of a client cost nothing here, so nothing is counted.
      const unlimited = { ...rest, limits: { concurrency, graceMs, repeats, thinking } }
      return { ...watched(unlimited, setting.value), tools, attachments: "off", shows: "everything" }
    },
  })
  if (!started.ok) return failed(started.failure.message)
  warn(setting.value.warnings)
  await started.value.session.submit({ type: "rename", title: "Calls of an MCP client" })
  return ok({ ...started.value.session, close: started.value.close })
}

const watched = (options: SettledOptions, setting: StartupContext): SettledOptions => ({
  ...options,
  permissions: { ...options.permissions, watch: (hear) => watchRules(setting, hear) },
})

async function openAgent(
  args: Arguments<FlagName>,
  tools: readonly string[] | undefined,
  request: AgentRequest,
  warn: (lines: readonly string[]) => void,
): Promise<Result<OpenedAgent, string>> {
  const { model, session: id } = request
  if (id !== undefined && !isSessionId(id)) return failed(`No session has the id ${id}.`)
  const own = withFlags(args, {
    tools,
    ...(model !== undefined && { model: [model] }),
    ...(id !== undefined && { resume: [id] }),
  })
  const folder = await folderOf(own, request)
  if (!folder.ok) return folder
  const setting = await readSetting(own, folder.value)
  if (!setting.ok) return failed(setting.failure.message)
  const started = await startSession(own, setting.value, "headless", {
    asks: "client",
    // Closing the session would end what is left in the background.
    shape: (options) =>
      withoutOurselves(watched({ ...options, shell: { ...options.shell, background: "off" } }, setting.value)),
  })
  if (!started.ok) return failed(started.failure.message)
  warn([...setting.value.warnings, ...started.value.notes])
  return ok({ session: started.value.session, close: () => started.value.close() })
}

/** A client works where it was started, also when it continues a session. */
async function folderOf(
  args: Arguments<FlagName>,
  { folder, session: id }: AgentRequest,
): Promise<Result<string, string>> {
  const workspace = realFolder()
  if (workspace === undefined) return failed("The folder this server was started in no longer exists.")
  const { resumedFolder } = await import("#faces/cli/sessions/resumed-folder.ts")
  const resumed = id === undefined ? ok(undefined) : await resumedFolder(args, workspace)
  if (!resumed.ok) return failed(resumed.failure.message)
  const wanted = resolve(workspace, folder ?? ".")
  const real = realFolder(resumed.value?.folder ?? wanted)
  if (real === undefined) return failed(`The folder ${wanted} does not exist.`)
  if (!liesIn(real, workspace))
    return failed(
      resumed.value
        ? `The session ${id ?? ""} belongs to ${real}, which is outside the workspace ${workspace}.`
        : `The folder ${real} is outside the workspace ${workspace}.`,
    )
  return ok(real)
}

/** An agent that is served would otherwise be offered itself, where the project's servers include us. */
function withoutOurselves(options: SettledOptions): SettledOptions {
  if (!options.mcp) return options
  const servers = options.mcp.servers.filter(({ config }) => {
    if (!config.ok || config.value.kind !== "stdio") return true
    const { command, args } = config.value
    const words = [basename(command), ...args]
    const at = words.findIndex((word, i) => word === "mcp" && words[i + 1] === "serve")
    return at === -1 || !words.slice(0, at).some((word) => basename(word).startsWith("codewright"))
  })
  return { ...options, mcp: { ...options.mcp, servers } }
}

/** As if these flags had been given; undefined takes one away. */
function withFlags(
  args: Arguments<FlagName>,
  overrides: { readonly [name in FlagName]?: readonly string[] | undefined },
): Arguments<FlagName> {
  const isGiven = (name: FlagName): boolean => Object.hasOwn(overrides, name)
  return {
    ...args,
    has: (name) => (isGiven(name) ? overrides[name] !== undefined : args.has(name)),
    value: (name) => (isGiven(name) ? overrides[name]?.[0] : args.value(name)),
    list: (name) => (isGiven(name) ? (overrides[name] ?? []) : args.list(name)),
  }
}

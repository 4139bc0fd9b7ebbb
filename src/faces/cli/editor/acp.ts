/** `codewright acp`: the agent for editors that speak the Agent Client Protocol, over standard input and output. */

import { type EditorFiles, openEditorFiles } from "#faces/acp/editor-files.ts"
import { type AcpRun, type ClientLink, type OpenFailure, runAcp, type SessionRequest } from "#faces/acp/run.ts"
import type { OpenedSession } from "#faces/acp/editor-session.ts"
import { choicesOf } from "#faces/cli/terminal/choices.ts"
import { hasModel } from "#faces/cli/models/connect.ts"
import type { StartFailure } from "#faces/cli/failure.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { openingFlags } from "#faces/cli/flags/opening-flags.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { watchRules } from "#faces/cli/flags/session-options.ts"
import { ownProgram } from "#faces/cli/own-program.ts"
import { onSignals } from "#faces/cli/signals.ts"
import { startSession } from "#faces/cli/start.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { mcpLimits } from "#faces/cli/extensions/mcp-servers.ts"
import { isSessionId } from "#ground/transcript/session-logs.ts"
import { allowWaiting } from "#ground/workspace/processes/threads.ts"
import { systemClock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { systemIds } from "#lib/ids.ts"
import { linesIn } from "#lib/input-lines.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { SessionPlace } from "#session/opening/options.ts"

/** What the editor itself says about a session is not asked for here. */
const offered: readonly FlagName[] = [
  ...openingFlags,
  "settings",
  "setting-sources",
  "bare",
  "safe-mode",
  "trust",
  "offline",
]

const table: readonly Flag<FlagName>[] = flags.filter(({ name }) => offered.includes(name))

export const help: CommandHelp = {
  usage: ["codewright acp [options]"],
  about:
    "Speaks the Agent Client Protocol over standard input and output. An editor starts it. What to paste for Zed, JetBrains, Neovim, Emacs and VS Code: codewright docs editors",
  verbs: [["login", "Log in to a provider in a terminal; editors run this."]],
  table,
  examples: ["codewright acp", "codewright acp --model sonnet --permission-mode plan"],
}

/** As many as read-only calls may run at once, unless configured higher. */
const mostSlowReads = 10

export async function acpCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const [first, ...rest] = argv
  if (first === "login") return (await import("#faces/cli/models/login.ts")).loginCommand(rest, io)
  const parsed = parseArguments<FlagName>(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  if (parsed.value.rest.length > 0)
    return io.fail(`acp takes no prompt, and got '${parsed.value.rest.join(" ")}'. An editor sends prompts.`)
  allowWaiting(mostSlowReads)
  const [command = "codewright", ...words] = ownProgram() ?? []
  const stop = new AbortController()
  const signals = onSignals(() => stop.abort(), systemClock)
  void io.readerGone.then(() => stop.abort())
  await runAcp({
    ...openProgramSide(parsed.value, io),
    input: linesIn(Bun.stdin.stream()),
    send: io.write,
    written: async () => void (await io.flushed()),
    stop: stop.signal,
    version,
    login: [command, ...words, "login"],
    ids: systemIds,
  })
  return signals.code() ?? 0
}

function openProgramSide(args: Arguments<FlagName>, io: Io): Pick<AcpRun, "open" | "list" | "remove" | "missingModel"> {
  const declined = new Set<string>()
  return {
    open: (request, link) => open(args, request, { link, declined }, io),
    async list({ cwd, from, most }) {
      const { withCatalog } = await import("#ground/transcript/catalog.ts")
      const { catalog: file, projects } = whereWeAre()
      const { nameOf } = await import("#faces/cli/sessions/session-line.ts")
      const scope = { limit: from + most, ...(cwd !== undefined && { cwd }) }
      try {
        const rows = await withCatalog({ file, projects }, (catalog) => catalog.list(scope))
        return ok(
          rows.slice(from).map((row) => ({ id: row.id, cwd: row.cwd, title: nameOf(row), changedAt: row.changed })),
        )
      } catch (error) {
        return failed(`The list of sessions cannot be read: ${String(error)}`)
      }
    },
    async remove(id) {
      const { removeOne } = await import("./remove-session.ts")
      return removeOne(id)
    },
    async missingModel() {
      const setting = await readSetting(args)
      if (!setting.ok) return setting.failure.message
      return hasModel(setting.value)
        ? undefined
        : "No model is configured. Run codewright login in a terminal, or set ANTHROPIC_API_KEY."
    },
  }
}

async function open(
  args: Arguments<FlagName>,
  request: SessionRequest,
  { link, declined }: { readonly link: ClientLink; readonly declined: Set<string> },
  io: Io,
): Promise<Result<OpenedSession, OpenFailure>> {
  // Words that find a session are for people.
  if (request.from && !isSessionId(request.from.id))
    return failed({ kind: "not_found", message: `No session has the id ${request.from.id}.` })
  const asked = withRequest(args, request)
  const own = await ownSetting(asked, request)
  const isAsked = own.ok && own.value.untrusted.length > 0
  const setting = isAsked
    ? await (await import("./ask-trust.ts")).asTrusted(asked, own.value, request, link, declined)
    : own
  if (!setting.ok) return failure(setting.failure, request)
  const files = deferred<EditorFiles>()
  const started = await startSession(asked, setting.value, "headless", {
    asks: "client",
    inEditor: true,
    // Servers of the editor have the same limits as others, even if there are no others.
    shape: (options) => ({
      mcp: { servers: [], limits: mcpLimits(setting.value) },
      ...options,
      place: { ...options.place, ...buffersOf(link, files.promise) },
      permissions: { ...options.permissions, watch: (onChange) => watchRules(setting.value, onChange) },
    }),
  })
  if (!started.ok) return failure(started.failure, request)
  const { session, models, notes, fileNotes, ended, close } = started.value
  files.resolve(openEditorFiles(session.id, link))
  const allNotes = [...setting.value.warnings, ...notes, ...fileNotes]
  for (const note of allNotes) io.warn(note)
  return ok({
    session,
    factsOf: models.factsOf,
    models: choicesOf(setting.value, models).models,
    notes: allNotes,
    ...optional("ended", ended),
    close: () => close(),
  })
}

/** Requests name the session, whose id is known once it is open. */
function buffersOf({ client: { fs } }: ClientLink, files: Promise<EditorFiles>): Pick<SessionPlace, "buffers"> {
  if (fs?.readTextFile !== true) return {}
  return {
    buffers: {
      read: async (path, signal) => (await files).read(path, signal),
      ...(fs.writeTextFile === true && {
        write: async (path, text, signal) => (await files).write(path, text, signal),
      }),
    },
  }
}

/** A resumed session continues in its own folder, a copy where the editor is. */
async function ownSetting(
  args: Arguments<FlagName>,
  { from, cwd }: SessionRequest,
): Promise<Result<StartupContext, StartFailure>> {
  const { resumedFolder } = await import("#faces/cli/sessions/resumed-folder.ts")
  const own = from ? await resumedFolder(args, cwd) : ok(undefined)
  return own.ok ? readSetting(args, own.value?.folder ?? cwd) : own
}

const failure = ({ kind, message }: StartFailure, { from }: SessionRequest): Result<never, OpenFailure> =>
  failed({
    kind: kind === "no_model" ? kind : from && message.startsWith("No conversation found") ? "not_found" : "error",
    message,
  })

/** What the editor says about a session is what flags say otherwise. */
function withRequest(args: Arguments<FlagName>, request: SessionRequest): Arguments<FlagName> {
  const { from, additionalDirectories = [], mcpServers = [] } = request
  const servers = Object.fromEntries(mcpServers.map(({ name, config }) => [name, config]))
  const lists: { readonly [name in FlagName]?: readonly string[] } = {
    "add-dir": additionalDirectories,
    "mcp-config": mcpServers.length === 0 ? [] : [JSON.stringify({ mcpServers: servers })],
  }
  return {
    ...args,
    has: (name) =>
      (name === "resume" && from !== undefined) ||
      (name === "fork-session" && from?.as === "copy") ||
      (lists[name]?.length ?? 0) > 0 ||
      args.has(name),
    value: (name) => (name === "resume" ? from?.id : args.value(name)),
    list: (name) => [...args.list(name), ...(lists[name] ?? [])],
  }
}

/** A program drives the session: it says how on standard input, and is told everything on standard output. */

import { join } from "node:path"
import type { Client } from "#agent/words/client.ts"
import { namedServers } from "#agent/words/named-servers.ts"
import { notStartedMessage } from "#faces/headless/result.ts"
import type { Initialize } from "#faces/headless/sdk/initialize.ts"
import type { SdkRun, SdkSession } from "#faces/headless/sdk/parts.ts"
import { limiting, policyRules } from "#faces/headless/sdk/tool-policies.ts"
import { runSdk } from "#faces/headless/sdk/run.ts"
import { fromLines } from "#faces/headless/sdk/transport.ts"
import { resolveModel } from "#ground/models/aliases.ts"
import type { LogCopy } from "#ground/transcript/log.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { problemLine } from "#ground/settings/read-source.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { protocolVersion } from "#lib/version.ts"
import type { Arguments } from "./flags/argv.ts"
import { agentsText } from "./flags/agents-flag.ts"
import { aroundSession } from "./sdk-surroundings.ts"
import { backgroundWait } from "./flags/background-wait.ts"
import { choicesOf } from "./terminal/choices.ts"
import { aliasesOf } from "./models/connect.ts"
import type { StartFailure } from "./failure.ts"
import { fileNotices } from "./file-notices.ts"
import type { FlagName } from "./flags/flags.ts"
import type { Io } from "./io.ts"
import { mcpLimits } from "./extensions/mcp-servers.ts"
import { type SettledOptions, watchRules } from "./flags/session-options.ts"
import { openMirror } from "./session-mirror.ts"
import { readSetting, type StartupContext } from "./startup-context.ts"
import { onSignals } from "./signals.ts"
import { startSession } from "./start.ts"
import { hostAnswers, messageOptions } from "./flags/stream-flags.ts"

/** Gives the exit code. */
export async function serveClient(args: Arguments<FlagName>, io: Io, folder?: string): Promise<number> {
  const stop = new AbortController()
  const signals = onSignals((how) => stop.abort(how), systemClock)
  void io.readerGone.then(() => stop.abort({ cause: "output_closed" }))
  const code = await serveOver(
    args,
    {
      input: fromLines(Bun.stdin.stream()),
      send: (message) => io.write(`${JSON.stringify(message)}\n`),
      written: async () => void (await io.flushed()),
      warn: io.warn,
      fail: io.fail,
      stop: stop.signal,
    },
    folder,
  )
  return signals.code() ?? code
}

/** The way to a client, wherever it runs. */
export interface ClientEnds extends Pick<SdkRun, "input" | "send" | "written" | "warn" | "stop"> {
  /** Says why there is no session. */
  readonly fail: (message: string) => void
}

/** A resumed session continues in its own folder. */
async function readOwnSetting(
  args: Arguments<FlagName>,
  folder: string | undefined,
  env: RawEnvironment | undefined,
): Promise<Result<StartupContext, StartFailure>> {
  const own =
    args.value("resume") === undefined
      ? ok(undefined)
      : await (await import("./sessions/resumed-folder.ts")).resumedFolder(args, folder, env)
  return own.ok ? readSetting(args, own.value?.folder ?? folder, "as kept", env) : own
}

/** The same for a client that is reached in another way than by standard input and output. */
export async function serveOver(
  args: Arguments<FlagName>,
  ends: ClientEnds,
  folder?: string,
  env?: RawEnvironment,
): Promise<number> {
  // Read while the client still writes its first message.
  const setting = readOwnSetting(withoutQuestions(args), folder, env)
  const { environment } = (await setting.then((read) => (read.ok ? read.value : undefined))) ?? {}
  return runSdk({
    ...ends,
    async open(asked, client) {
      const read = await setting
      const opened = read.ok ? await open(args, read.value, asked, client, ends) : read
      if (opened.ok) return opened
      ends.fail(opened.failure.message)
      const uuid = systemIds.uuid()
      const sessionId = args.value("resume") || args.value("session-id") || uuid
      ends.send(notStartedMessage(opened.failure.message, { sessionId, uuid }))
      return failed(opened.failure.message)
    },
    messageOptions: messageOptions(args),
    replays: args.has("replay-user-messages"),
    readsState: environment?.sdkReadsState === true,
    rewinds: environment?.sdkRewinds === true,
    ...optional("patienceMs", environment?.clientPatienceMs),
    version: protocolVersion,
    pid: process.pid,
    clock: systemClock,
    ids: systemIds,
  })
}

async function open(
  args: Arguments<FlagName>,
  setting: StartupContext,
  asked: Initialize,
  port: Client,
  { warn, send }: Pick<ClientEnds, "warn" | "send">,
): Promise<Result<SdkSession, StartFailure>> {
  const wait = backgroundWait(args, setting)
  if (!wait.ok) return wait
  for (const note of asked.ignored ?? []) warn(note)
  const problems = setting.loaded.problems.map(problemLine)
  for (const warning of setting.warnings) if (!problems.includes(warning)) warn(warning)
  const started = await startSession(withInitialize(args, asked), setting, "headless", {
    asks: asksOf(args),
    client: {
      port,
      ...optional("hooks", asked.hooks),
      ...optional("servers", asked.servers),
      ...optional("serverSettings", asked.serverSettings),
      ...optional("toolAliases", asked.toolAliases),
    },
    // Servers of the client have the same limits as others, even if there are no others.
    shape: (options) => ({
      mcp: { servers: [], limits: mcpLimits(setting) },
      ...withPolicies(watched(shaped(options, asked), setting), args, asked),
      ...(args.has("session-mirror") && { copy: mirror(args, setting, send) }),
    }),
  })
  if (!started.ok) return started
  const { session, models, apiKeySource, leftOut, notes, fileNotes, close } = started.value
  for (const note of [...notes, ...fileNotices([...problems, ...fileNotes])]) warn(note)
  if (asked.title !== undefined) await session.submit({ type: "rename", title: asked.title })
  const aliases = aliasesOf(setting)
  const configured = setting.loaded.settings.model ?? "default"
  return ok({
    session,
    apiKeySource,
    leftOut,
    factsOf: models.factsOf,
    models: choicesOf(setting, models).models,
    around: aroundSession(setting, () => session.ask({ type: "folders" })),
    resolveModel: (name) => resolveModel(name ?? configured, aliases),
    backgroundWait: wait.value,
    close,
  })
}

const mirror = (
  args: Arguments<FlagName>,
  { state, home, environment }: StartupContext,
  send: ClientEnds["send"],
): LogCopy =>
  openMirror({
    send,
    state,
    claimed: environment.claudeFolder ?? join(home, ".claude"),
    begins: args.has("fork-session") ? "copied" : "empty",
  })

const asksOf = (args: Arguments<FlagName>): "client" | "nobody" => (hostAnswers(args) ? "client" : "nobody")

/** Clients expect the tool for questions only where they can answer. */
function withoutQuestions(args: Arguments<FlagName>): Arguments<FlagName> {
  if (asksOf(args) === "client") return args
  const list = (name: FlagName): readonly string[] =>
    name === "disallowed-tools" ? [...args.list(name), "AskUserQuestion"] : args.list(name)
  return { ...args, has: (name) => name === "disallowed-tools" || args.has(name), list }
}

function flaggedAgents(args: Arguments<FlagName>): JsonObject | undefined {
  const text = agentsText(args)
  return text.ok ? objectIn(text.value ?? "{}") : undefined
}

/** What a client says in its first message is what flags say otherwise, so it takes their place. A flag that is no object is complained about where it is read. */
function withInitialize(args: Arguments<FlagName>, asked: Initialize): Arguments<FlagName> {
  const said: { readonly [name in FlagName]?: string } = {
    ...optional("system-prompt", asked.systemPrompt),
    ...optional("append-system-prompt", asked.appendSystemPrompt),
    ...optional("json-schema", asked.jsonSchema && JSON.stringify(asked.jsonSchema)),
    ...optional("agents", asked.agents && JSON.stringify({ ...flaggedAgents(args), ...asked.agents })),
  }
  const plugins = (wanted: boolean): readonly string[] =>
    (asked.plugins ?? []).flatMap(({ path, servers }) => (servers === wanted ? [path] : []))
  const lists: { readonly [name in FlagName]?: readonly string[] } = {
    "plugin-dir": plugins(true),
    "plugin-dir-no-mcp": plugins(false),
  }
  return {
    ...args,
    has: (name) => said[name] !== undefined || (lists[name]?.length ?? 0) > 0 || args.has(name),
    value: (name) => said[name] ?? args.value(name),
    list: (name) => [...args.list(name), ...(lists[name] ?? [])],
  }
}

/** An open conversation outlives what its settings were at the start. */
const watched = (options: SettledOptions, setting: StartupContext): SettledOptions => ({
  ...options,
  permissions: { ...options.permissions, watch: (hear) => watchRules(setting, hear) },
})

/** What no flag can say. */
function shaped(options: SettledOptions, asked: Initialize): SettledOptions {
  const { system, plan, extensions } = options
  return {
    ...options,
    ...(asked.excludeDynamicSections && { system: { ...system, environmentPlace: "elsewhere" } }),
    ...(asked.planModeInstructions !== undefined && { plan: { ...plan, instructions: asked.planModeInstructions } }),
    ...(asked.promptSuggestions && { suggests: true }),
    ...(extensions && asked.skills && { extensions: { ...extensions, skills: asked.skills } }),
  }
}

/** What the client says about the tools of its servers counts like its other flags. */
function withPolicies(options: SettledOptions, args: Arguments<FlagName>, asked: Initialize): SettledOptions {
  const inside = policyRules(asked.serverSettings ?? {}).filter(limiting)
  const outside = args.list("mcp-config").flatMap((written) => policyRules(namedServers(objectIn(written) ?? {}) ?? {}))
  const rules = [...inside, ...outside].map((rule) => ({ ...rule, source: "command line" as const }))
  if (rules.length === 0) return options
  return { ...options, permissions: { ...options.permissions, rules: [...options.permissions.rules, ...rules] } }
}

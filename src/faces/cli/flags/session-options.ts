/** What flags and settings say about a session, whichever conversation it is and whoever thinks for it. */

import { unusedKeys } from "#ground/settings/unused.ts"
import type { Settings, StorageSettings } from "#ground/settings/settings.ts"
import { release } from "node:os"
import { dirname, join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { ripgrepWhenNeeded } from "#ground/bundled/ripgrep.ts"
import { addedFolderProblem } from "#ground/settings/added-folder.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { managedSettingsFile } from "#ground/settings/sources.ts"
import { projectFolder } from "#ground/settings/state-folder.ts"
import { defaultOutputFiles, mebibyte, type OutputFileLimits } from "#ground/workspace/processes/output-room.ts"
import type { PersonShell } from "#ground/workspace/snapshot.ts"
import { type CallAllowance, openCallAllowance } from "#kits/budget/call-limit.ts"
import { compactionChoice } from "#kits/compaction/choice.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import { bypassAllowed } from "#kits/permissions/bypass.ts"
import { systemClock } from "#lib/clock.ts"
import { excludedFolders } from "#ground/workspace/excluded-folders.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { atTerminal, headless, type Manner } from "#session/opening/manner.ts"
import type { LimitChoice, MemoryChoice, PermissionChoice, SessionOptions } from "#session/opening/options.ts"
import { agentsSetting } from "./agents-flag.ts"
import type { Arguments } from "./argv.ts"
import { extensionSetting } from "#faces/cli/extensions/extensions.ts"
import { type StartFailure, usage, wrong } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"
import { hooksLoaded } from "#faces/cli/loading.ts"
import { lspSetting } from "#faces/cli/extensions/lsp-servers.ts"
import { mcpSetting } from "#faces/cli/extensions/mcp-servers.ts"
import { readNumber } from "./numbers.ts"
import { findPlugins } from "#faces/cli/extensions/plugins.ts"
import { offlineSandbox } from "#faces/cli/models/offline.ts"
import { isOffline, offlineWords } from "#faces/cli/models/offline-words.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { systemPrompt, withAgentPrompt } from "./system-prompt.ts"
import { askedThinking, thinkingChoice } from "./thinking-flag.ts"
import { scriptOptions } from "./script-options.ts"
import { chosenTools } from "./tool-names.ts"

export type SettledOptions = Omit<SessionOptions, "id" | "log" | "sessionLogs" | "model">

interface Settled {
  readonly options: SettledOptions
  readonly warnings: readonly string[]
  /** What is in files but not used as written. */
  readonly fileNotes: readonly string[]
}

export async function settledOptions(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
): Promise<Result<Settled, StartFailure>> {
  const { environment, loaded, loading, cwd, state, home, network } = setting
  const limits = readLimits(args, loaded.settings)
  if (!limits.ok) return limits
  const permissions = readPermissions(args, setting, face)
  if (!permissions.ok) return permissions
  const unusable = loaded.additionalDirectories.flatMap((folder) => addedFolderProblem(folder, { home }) ?? [])[0]
  if (unusable !== undefined) return usage(unusable)
  const endpoint = loaded.settings.webSearch?.endpoint
  const search =
    endpoint === undefined
      ? undefined
      : (await import("#ground/web/search.ts")).openSearch({ endpoint, clock: systemClock, network })
  if (search && !search.ok) return wrong(`webSearch.endpoint cannot be used: ${search.failure}`)
  const compaction = compactionChoice(loaded.settings, environment)
  const plugins = await findPlugins(args, setting)
  const mcp = await mcpSetting(args, setting, plugins)
  if (!mcp.ok) return mcp
  const lsp = lspSetting(setting, plugins.languageServers)
  const agents = await agentsSetting(args, setting, mcp.value.choice?.servers ?? [], plugins)
  if (!agents.ok) return agents
  const { playing } = agents.value
  const extensions = extensionSetting(args, setting, plugins)
  const system = systemPrompt(args, cwd)
  if (!system.ok) return system
  const tools = chosenTools(args)
  if (!tools.ok) return tools
  const wishes = scriptOptions(args, loaded)
  if (!wishes.ok) return wishes
  const asked = askedThinking(args)
  if (!asked.ok) return asked
  const thinking = thinkingChoice(asked.value, environment, loaded.settings)
  const staysOffline = isOffline(args, loaded)
  const options: SettledOptions = {
    place: {
      cwd,
      home,
      stateFolder: state,
      addedFolders: loaded.additionalDirectories,
      trusted: setting.trusted,
      trusts: setting.trusts,
      childEnv: lazily(() => childEnvironment(loaded.env)),
      ripgrep: ripgrepWhenNeeded(join(state, "cache")),
      confine: () => confinePath({ cacheFolder: join(state, "cache"), pid: process.pid }),
      network,
      ...optional("offline", staysOffline ? offlineWords : undefined),
      platform: process.platform,
      osVersion: release(),
      version,
      entrypoint: environment.entrypoint,
      pid: process.pid,
    },
    permissions: { ...permissions.value, ...optional("promptTool", wishes.value.promptTool) },
    plan: {
      ...optional("folder", loaded.settings.plansDirectory),
      ...optional("enforce", loaded.settings.plan?.enforce),
      exploreAgents: environment.planExploreAgents,
      planAgents: environment.planAgents,
    },
    ...wishes.value.gates,
    ...optional("goal", wishes.value.goal),
    manner: face === "headless" ? { ...headless, leaves: true } : terminalManner(setting),
    system: {
      ...withAgentPrompt(system.value, playing?.systemPrompt),
      ...optional("language", loaded.settings.language),
      ...optional("reminder", playing?.criticalReminder),
    },
    limits: {
      ...limits.value,
      concurrency: environment.maxToolConcurrency,
      graceMs: 5_000,
      repeats: environment.maxRetries,
      thinking: thinking.thinking,
      ...(thinking.given && { thinkingGiven: true }),
      ...optional("maxOutputTokens", environment.maxOutputTokens),
    },
    shell: shellOf(setting),
    sandbox: staysOffline
      ? offlineSandbox(loaded, cwd)
      : { values: loaded.settings.sandbox ?? {}, sources: loaded.sandbox },
    ...undoOf(loaded.settings),
    compaction: compaction.choice,
    ...agents.value.options,
    ...optional("playing", playing),
    hooks: [...hooksLoaded(loaded.hooks, loading), ...plugins.hooks],
    ...optional("plugins", plugins.overview),
    ...optional("setup", setupOf(args)),
    extensions: extensions.choice,
    memory: memoryChoice(setting),
    ...optional("attachments", environment.disableAttachments ? ("off" as const) : undefined),
    ...optional("search", search?.value),
    ...optional("mcp", withServers(mcp.value.choice, playing && agents.value.servers?.(playing))),
    ...optional("agentServers", agents.value.servers),
    ...optional("lsp", lsp.choice),
    ...optional("tools", tools.value.tools),
    ...optional("outputSchema", wishes.value.outputSchema),
    ...(!environment.toolSearch && { deferral: "never" }),
    clock: systemClock,
    ids: systemIds,
  }
  return ok({
    options,
    fileNotes: [...unusedWarning(unusedKeys(loaded)), ...plugins.notes, ...agents.value.warnings],
    warnings: [
      ...plugins.warnings,
      ...tools.value.warnings,
      ...thinking.warnings,
      ...compaction.warnings,
      ...excludedFolders(loaded.settings.undo?.exclude ?? [], { cwd, home }).warnings,
      ...mcp.value.warnings,
      ...lsp.warnings,
      ...extensions.warnings,
    ],
  })
}

const terminalManner = ({ loaded }: StartupContext): Manner =>
  loaded.settings.backgroundAgents === false ? atTerminal : { ...atTerminal, agents: "beside" }

const shellOf = ({
  environment,
  loaded,
  trusted,
  loading: { customised },
}: StartupContext): SessionOptions["shell"] => ({
  defaultTimeoutMs: environment.bashDefaultTimeoutMs,
  maxTimeoutMs: environment.bashMaxTimeoutMs,
  outputCharacters: environment.bashMaxOutputLength,
  ...optional("outputFiles", outputFilesOf(loaded.settings.storage)),
  ...(environment.bashStaysInProject && { staysInProject: true }),
  ...(environment.disableBackgroundTasks && { background: "off" as const }),
  ...optional("prefix", environment.shellPrefix),
  ...optional("envFile", trusted && customised ? environment.envFile : undefined),
  ...optional("snapshot", trusted && customised ? personShell() : undefined),
})

const undoOf = ({ undo }: Pick<Settings, "undo">): Pick<SessionOptions, "undo"> =>
  undo?.exclude === undefined ? {} : { undo: { exclude: undo.exclude } }

const outputFilesOf = ({ commandOutputMb, sessionOutputMb }: StorageSettings = {}): OutputFileLimits | undefined =>
  commandOutputMb === undefined && sessionOutputMb === undefined
    ? undefined
    : {
        commandBytes: commandOutputMb === undefined ? defaultOutputFiles.commandBytes : commandOutputMb * mebibyte,
        sessionBytes: sessionOutputMb === undefined ? defaultOutputFiles.sessionBytes : sessionOutputMb * mebibyte,
      }

function setupOf(args: Arguments<FlagName>): SessionOptions["setup"] {
  if (args.has("maintenance")) return "maintenance"
  return args.has("init") || args.has("init-only") ? "init" : undefined
}

function memoryChoice({ environment, loaded, loading, cwd, state, home }: StartupContext): MemoryChoice {
  return {
    claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
    managedFolder: dirname(managedSettingsFile(process.platform)),
    ...optional("sources", loading.extensions),
    ...optional("excludes", loaded.settings.claudeMdExcludes),
    ...optional(
      "notesFolder",
      loaded.settings.memory?.auto === true && loaded.settings.memory.enabled !== false
        ? join(projectFolder(state, cwd), "memory")
        : undefined,
    ),
  }
}

const unusedWarning = (keys: readonly string[]): readonly string[] =>
  keys.length === 0 ? [] : [`Settings without effect in this version: ${keys.join(", ")}.`]

const withServers = (choice: McpChoice | undefined, more: McpChoice | undefined): McpChoice | undefined =>
  more ? { ...more, servers: [...(choice?.servers ?? []), ...more.servers] } : choice

/** From the real environment, which no project can change. */
function personShell(): PersonShell {
  const raw = processEnvironment()
  return { file: raw.SHELL ?? "", env: () => childEnvironment(raw) }
}

function readLimits(
  args: Arguments<FlagName>,
  settings: Pick<Settings, "budget">,
): Result<Pick<LimitChoice, "maxTurns" | "calls" | "maxBudgetUsd" | "maxBudgetTokens">, StartFailure> {
  const turns = args.value("max-turns")
  const budget = args.value("max-budget-usd")
  const tokens = args.value("max-budget-tokens")
  const maxTurns =
    turns === undefined ? undefined : readNumber("--max-turns", turns, { least: 1, most: 1e9, whole: true })
  if (maxTurns && !maxTurns.ok) return usage(maxTurns.failure)
  const calls = readCallLimits(args)
  if (!calls.ok) return usage(calls.failure)
  const maxBudget =
    budget === undefined ? undefined : readNumber("--max-budget-usd", budget, { least: 0, most: 1e9, whole: false })
  if (maxBudget && !maxBudget.ok) return usage(maxBudget.failure)
  const maxTokens =
    tokens === undefined ? undefined : readNumber("--max-budget-tokens", tokens, { least: 1, most: 1e15, whole: true })
  if (maxTokens && !maxTokens.ok) return usage(maxTokens.failure)
  return ok({
    ...optional("maxTurns", maxTurns?.value),
    ...optional("calls", calls.value),
    ...optional("maxBudgetUsd", maxBudget?.value ?? settings.budget?.usd),
    ...optional("maxBudgetTokens", maxTokens?.value ?? settings.budget?.tokens),
  })
}

function readCallLimits(args: Arguments<FlagName>): Result<CallAllowance | undefined, string> {
  const read = (name: "max-tool-calls" | "max-tool-calls-per-turn"): Result<number | undefined, string> => {
    const value = args.value(name)
    return value === undefined ? ok(undefined) : readNumber(`--${name}`, value, { least: 1, most: 1e9, whole: true })
  }
  const session = read("max-tool-calls")
  const turn = read("max-tool-calls-per-turn")
  if (!session.ok) return session
  if (!turn.ok) return turn
  if (session.value === undefined && turn.value === undefined) return ok(undefined)
  return ok(openCallAllowance({ ...optional("session", session.value), ...optional("turn", turn.value) }))
}

function readPermissions(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
): Result<SessionOptions["permissions"], StartFailure> {
  const { environment, loaded } = setting
  const { defaultMode, disableAutoMode, disableBypassPermissionsMode, allowBypassAsRoot } = loaded.settings.permissions
  const skip = args.has("dangerously-skip-permissions")
  const mode = skip ? "bypassPermissions" : defaultMode
  const available = skip || mode === "bypassPermissions" || args.has("allow-dangerously-skip-permissions")
  const bypass = bypassAllowed({
    uid: process.getuid?.(),
    isSandbox: environment.isSandbox,
    managedAllowsRoot: allowBypassAsRoot ?? false,
    disabled: disableBypassPermissionsMode === "disable",
  })
  if (mode === "bypassPermissions" && !bypass.allowed) return usage(bypass.why)
  if (mode === "auto" && disableAutoMode) return usage("Auto mode is turned off by permissions.disableAutoMode.")
  return ok({
    mode,
    modeGiven: skip || args.has("permission-mode"),
    bypassAvailable: available && bypass.allowed,
    ...(disableAutoMode && { withoutAuto: true }),
    rules: loaded.rules,
    managedOnly: loaded.settings.allowManagedPermissionRulesOnly === true,
    // A run without a screen is over before anyone could change a file.
    ...(face === "terminal" && { watch: (onChange) => watchRules(setting, onChange) }),
  })
}

/** Loaded only when there is something to watch, and not before the first question is shown. */
export function watchRules(
  { files, again }: StartupContext,
  onChange: Parameters<NonNullable<PermissionChoice["watch"]>>[0],
): () => void {
  let isOver = false
  let close = (): void => {}
  const reportChanges = async (changed: readonly string[]): Promise<void> => {
    const setting = await again()
    const changes = files.filter(({ path }) => changed.includes(path))
    if (!isOver) onChange(setting.ok ? ok(setting.value.loaded.rules) : failed(setting.failure.message), changes)
  }
  void import("#ground/settings/watch.ts").then(({ watchSettings }) => {
    const paths = files.map(({ path }) => path)
    if (!isOver)
      close = watchSettings({
        files: paths,
        clock: systemClock,
        onChange: (changed) => void reportChanges(changed),
      }).close
  })
  return () => {
    isOver = true
    close()
  }
}

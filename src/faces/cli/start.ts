/** From arguments and settings to an open session. */

import type { Kit } from "#agent/words/kit.ts"
import type { Model } from "#agent/words/model.ts"
import { namesUntrustedAgents } from "#ground/extensions/agent-files.ts"
import type { Models } from "#ground/models/router.ts"
import type { PriceTable } from "#ground/models/price-table.ts"
import { simulatorName } from "#ground/models/simulated.ts"
import { openPrices } from "#kits/budget/prices.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { later } from "#lib/later.ts"
import { ok, type Result } from "#lib/result.ts"
import { openSession } from "#session/open.ts"
import type { MemberHosts, MemberSessions } from "#session/opening/member-port.ts"
import { headless } from "#session/opening/manner.ts"
import type { ClientChoice, SessionOptions } from "#session/opening/options.ts"
import type { OpenProgramKits } from "#session/opening/program-kits.ts"
import type { OpenTeam } from "#session/opening/team.ts"
import type { Session } from "#session/port/session.ts"
import { openTeamKit, openTeamKitOn } from "#team/team-kit.ts"
import type { TeamStores } from "#team/team-stores.ts"
import { choicesOf } from "./terminal/choices.ts"
import type { Arguments } from "./flags/argv.ts"
import { chooseSession, type ChosenSession } from "./sessions/choose-session.ts"
import { openAttachedEditors } from "#session/port/attached-editors.ts"
import { joinIfOpen, sharedLater } from "./sessions/share.ts"
import type { Started } from "./sessions/started.ts"
import { connect, type Connection } from "./models/connect.ts"
import { type StartFailure, wrong } from "./failure.ts"
import type { FlagName } from "./flags/flags.ts"
import { openProgram } from "./terminal/program.ts"
import { type SettledOptions, settledOptions } from "./flags/session-options.ts"
import { offlineNotes } from "./models/offline.ts"
import { isOffline } from "./models/offline-words.ts"
import { teammateMode } from "./flags/teammate-mode.ts"
import type { StartupContext } from "./startup-context.ts"

/** A program drives the session: whether it answers questions, and what it brings along. */
export interface Driven {
  readonly asks: "client" | "nobody"
  /** A person uses it through an editor: it gets a title, and no flags are suggested. */
  readonly inEditor?: true
  /** The host of background sessions drives it, and opens it again whenever there is something to do. */
  readonly inBackground?: true
  readonly client?: ClientChoice
  /** What the client says about the session beyond flags and settings. */
  readonly shape: (options: SettledOptions) => SettledOptions
  /** Which session it is; flags say so when absent. */
  readonly which?: Pick<SessionOptions, "id" | "log" | "sessionLogs">
  /** Where its teams are, if not in the state folder: their members are in this process then, or sessions of their own. */
  readonly teams?: TeamStores
  readonly members?: MemberSessions | undefined
  /** The model as it is used, in place of the one that is configured. */
  readonly watched?: (model: Model) => Model
  /** What is known of it, where that is not what is known of the configured one. */
  readonly factsOf?: Models["factsOf"]
}

export interface StartExtras {
  /** Called at the end of each stage. */
  readonly mark?: ((stage: string) => void) | undefined
  /** For the log. */
  readonly warnings?: readonly string[]
}

export async function startSession(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
  driven?: Driven,
  { mark = () => {}, warnings = [] }: StartExtras = {},
): Promise<Result<Started, StartFailure>> {
  const settled = await settledOptions(args, setting, face)
  if (!settled.ok) return settled
  mark("agents, servers and options")
  const walls = await requiredWalls(setting)
  if (!walls.ok) return walls
  const chosen = driven?.which ? ok({ ...driven.which, forget: () => {} }) : await chooseSession(args, setting)
  if (!chosen.ok) return chosen
  const { forget, at, ...which }: ChosenSession = chosen.value
  const list = await sharedList(setting, which.id)
  if (!list.ok) {
    forget()
    return list
  }
  const model = await connect(args, setting, face)
  if (!model.ok) {
    forget()
    return model
  }
  mark("conversation and model")
  const { models, fallback, forMode, small, forAgents, notes, apiKeySource, close } = model.value
  const options = keepingTool(settled.value.options, args, face === "headless" && driven?.asks !== "client")
  const { playing } = options
  const id = args.has("model") ? model.value.id : modelPlayed(playing?.model, model.value)
  const isSimulated = (name: string): boolean => models.factsOf(name).provider === simulatorName
  const mayShare = driven ? driven.inEditor === true : face === "terminal"
  const shaped = driven ? driven.shape(options) : options
  const joined = mayShare
    ? await joinIfOpen({
        args,
        buffers: shaped.place.buffers,
        state: setting.state,
        which,
        connection: model.value,
        reopen: (words) => startSession(args, setting, face, driven, { warnings: [words] }),
      })
    : undefined
  if (joined) return joined
  const opened = later<Session>("The session")
  const watching = isTelemetryOn(setting)
    ? (await import("./telemetry/telemetry-here.ts")).telemetryHere(setting, face, which.id)
    : undefined
  const asksAside =
    (face === "terminal" || driven?.inEditor === true) &&
    !setting.environment.disableNonEssentialCalls &&
    !isSimulated(small)
  // An editor of its own is asked; without one, those that attach later are.
  const editors = mayShare && shaped.place.buffers === undefined ? openAttachedEditors() : undefined
  const editor = isBesideEditor(args, face, driven)
    ? (await import("./editor/editor-side.ts")).editorSideOf(args, setting, face)
    : undefined
  const session = await openSession({
    ...which,
    ...shaped,
    ...(editors && { place: { ...shaped.place, buffers: editors.buffers } }),
    ...(editor && { editor: editor.read }),
    ...(list.value.length > 0 && { kits: list.value }),
    ...(warnings.length > 0 && { warnings }),
    team: teamOf(setting, driven?.teams),
    ...optional(
      "programKits",
      which.log.kind === "none" ? undefined : await programKits(setting, face, driven, shaped.permissions.rules),
    ),
    ...optional("members", await membersOf(args, setting, face, driven)),
    ...(driven && { manner: { ...headless, asks: driven.asks, elicits: "client" } }),
    ...optional("client", driven?.client),
    names: asksAside,
    suggests:
      shaped.suggests === true ||
      (asksAside && face === "terminal" && setting.loaded.settings.promptSuggestions === true),
    memory: { ...shaped.memory, session: asksAside && setting.loaded.settings.memory?.enabled !== false },
    ...(watching && { telemetry: watching.telemetry, ...optional("traceparent", setting.environment.traceparent) }),
    choices: choicesOf(setting, models),
    program: openProgram({ setting, models, ...optional("editor", editor) }, opened.get),
    model: {
      port: compilingLater(driven?.watched?.(models) ?? models),
      id,
      given: args.has("model"),
      ...(fallback.length > 0 && { fallback }),
      small,
      ...forAgents,
      forMode,
      factsOf: driven?.factsOf ?? models.factsOf,
      connectionOf: models.connectionOf,
      prices: openPrices({ listed: models.priceOf, ...userPrices(setting) }),
    },
  })
  if (!session.ok) {
    await close()
    forget()
    return wrong(
      session.failure.kind === "in_use" && !driven?.inEditor
        ? `${session.failure.message} ${waysAround}`
        : session.failure.message,
    )
  }
  mark("session")
  if (face === "terminal") compile()
  opened.settle(session.value)
  const shared = mayShare ? sharedLater(session.value, which.log.kind, setting.state, editors) : session.value
  const { ask, submit } = session.value
  const [about, { model: before }] = await Promise.all([ask({ type: "about" }), ask({ type: "state" })])
  // A session that was tried out with the simulator continues with the model that is configured now.
  if (!isSimulated(id) && isSimulated(before)) await submit({ type: "set_model", model: id })
  if (at !== undefined) {
    await submit({ type: "switch", to: at })
    await ask({ type: "settled" })
  }
  const connected = editor?.start(session.value)
  // A single prompt would be over before the editor is there.
  if (face === "headless") await connected
  const title = args.value("name")
  if (title !== undefined) await submit({ type: "rename", title })
  return ok({
    session: shared,
    models,
    apiKeySource,
    leftOut: [
      ...setting.untrusted,
      ...[...settled.value.warnings, ...settled.value.fileNotes].filter(namesUntrustedAgents),
    ],
    notes: [
      ...notes,
      ...(watching?.notes ?? []),
      ...(isOffline(args, setting.loaded) ? await offlineNotes(setting) : []),
      ...settled.value.warnings,
      ...about.notes,
    ],
    initialPrompt: which.log.kind === "new" ? playing?.initialPrompt : undefined,
    fileNotes: [...settled.value.fileNotes, ...about.fileNotes],
    editor,
    async close(how) {
      editor?.close()
      await shared.close(how)
      await watching?.close(how)
      await close()
      forget()
    },
  })
}

const isBesideEditor = (
  args: Arguments<FlagName>,
  face: "terminal" | "headless",
  driven: Driven | undefined,
): boolean => driven === undefined && (face === "terminal" || args.has("ide"))

/** All that a start without telemetry knows of it. */
export function isTelemetryOn({ environment, loaded }: Pick<StartupContext, "environment" | "loaded">): boolean {
  const { enableTelemetry, claudeTelemetry, otelDisabled, disableTelemetry, givenBy } = environment
  if (otelDisabled || disableTelemetry) return false
  if (enableTelemetry || claudeTelemetry) return true
  return givenBy.enableTelemetry === undefined && loaded.settings.telemetry?.enabled === true
}

/** Most of a start runs once, so the program is built to compile only what runs very often. From here on it compiles as usual. */
const compile = (): void => Bun.unsafe.setJITPolicy(1)

/** In a short script compiling takes more time than it saves, and takes it from the commands that run meanwhile. */
const requestsBeforeCompiling = 20

function compilingLater(model: Model): Model {
  let requests = 0
  return {
    ...model,
    stream(request, signal) {
      if (++requests === requestsBeforeCompiling) compile()
      return model.stream(request, signal)
    },
  }
}

const teamOf = ({ loaded }: StartupContext, stores: TeamStores | undefined): OpenTeam => {
  const shares = loaded.settings.teammateIsolation === "shared"
  return (ports) => (stores ? openTeamKitOn(stores, { ...ports, shares }) : openTeamKit({ ...ports, shares }))
}

/**
 * Both for sessions of a person that stay open, in a terminal, an editor or the background. A script or a client of the SDK can
 * write to sessions if a rule allows it; sessions of a server are not all one user's, so they have none. See decision 163.
 */
async function programKits(
  setting: StartupContext,
  face: "terminal" | "headless",
  driven: Driven | undefined,
  rules: SessionOptions["permissions"]["rules"],
): Promise<OpenProgramKits | undefined> {
  const staysOpen = driven ? driven.inBackground === true || driven.inEditor === true : face === "terminal"
  const isScript = face === "headless" && (!driven || driven.client !== undefined)
  const mayWrite = isScript && rules.some(({ behavior, text }) => behavior === "allow" && text === messageToolName)
  if (!staysOpen && !mayWrite) return undefined
  const { messagesOnly, programKitsOf } = await import("./sessions/program-kits.ts")
  return staysOpen ? programKitsOf(setting) : messagesOnly(setting)
}

/** Named here, so that a start need not load the tool. */
const messageToolName = "MessageSession"

/** Undefined where members run in this process. */
async function membersOf(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
  driven: Driven | undefined,
): Promise<MemberHosts | undefined> {
  const mode = teammateMode(args, setting, face)
  if (mode === "fleet") return driven?.members && { sessions: driven.members }
  if (mode === "in-process" || driven?.teams) return undefined
  const processes = (await import("./team/member-processes.ts")).memberProcesses(args, setting, mode)
  return processes && { processes }
}

/** The task list that the environment names. */
async function sharedList(
  { environment, state }: StartupContext,
  id: string,
): Promise<Result<readonly Kit[], StartFailure>> {
  if (environment.taskList === undefined) return ok([])
  const { openSharedList } = await import("#team/shared-list.ts")
  const as = id.slice(0, 8)
  const kit = await openSharedList({ stateFolder: state, list: environment.taskList, as, clock: systemClock })
  return kit.ok ? ok([kit.value]) : wrong(kit.failure)
}

function modelPlayed(name: string | undefined, { id, small, forAgents }: Connection): string {
  if (name === undefined || name === "inherit") return id
  return name === "small" ? small : name === "middle" ? (forAgents.middle ?? id) : (forAgents.resolve?.(name) ?? id)
}

const waysAround =
  "Or use --fork-session to continue in a copy, or --take-over to ask that process to stop and continue here."

/** Prices that the user has set. */
export function userPrices({ loaded }: StartupContext): { readonly given?: PriceTable } {
  const prices = loaded.settings.providers?.prices
  return isPriceTable(prices) ? { given: prices } : {}
}

const isPriceTable = (value: unknown): value is PriceTable => typeof value === "object" && value !== null

/** A required sandbox that does not work is reported before the first prompt, not by the first command. */
async function requiredWalls({ loaded, state }: StartupContext): Promise<Result<void, StartFailure>> {
  const { sandbox } = loaded.settings
  if (!sandbox?.enabled || !sandbox.failIfUnavailable) return ok(undefined)
  const { wallsHere } = await import("./permissions/walls-here.ts")
  const { workspace, why = "" } = await wallsHere(state, sandbox)
  if (workspace !== "broken") return ok(undefined)
  return wrong(`The sandbox does not work here, and sandbox.failIfUnavailable is on: ${why}`)
}

/** Where nobody else can be asked, the tool that answered before goes on answering, unless flags say who does. */
function keepingTool(options: SettledOptions, args: Arguments<FlagName>, isUnattended: boolean): SettledOptions {
  const isSaid = args.has("permission-prompt-tool") || args.has("permission-prompts")
  if (!isUnattended || isSaid) return options
  return { ...options, permissions: { ...options.permissions, keepsPromptTool: true } }
}

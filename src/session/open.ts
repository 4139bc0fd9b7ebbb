/** Opens a session: the list of kits, in the order of their layers, and the only place where ground and kits meet. */

import type { Agent, Limits } from "#agent/agent.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Middleware, Next } from "#agent/words/middleware.ts"
import type { Model, ModelFacts, Thinking } from "#agent/words/model.ts"
import type { Grant, PermissionMode } from "#agent/words/permission.ts"
import { ruleFile, saveRule } from "#ground/settings/save.ts"
import { keepResult } from "#ground/transcript/keep.ts"
import type { Origin } from "#ground/transcript/line.ts"
import type { Shelf } from "#ground/transcript/shelf.ts"
import { fingerprint } from "#ground/workspace/fingerprint.ts"
import type { SearchSource } from "#ground/web/search.ts"
import { openWeb } from "#ground/web/fetch.ts"
import { findRepository } from "#ground/workspace/git.ts"
import { isBelow, realPath } from "#ground/workspace/paths.ts"
import { openShellSight } from "#ground/workspace/shell-sight.ts"
import type { PersonShell } from "#ground/workspace/snapshot.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { backgroundKit } from "#kits/background/kit.ts"
import { openLedger } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { boundResults } from "#kits/context/bound.ts"
import { changedFilesKit } from "#kits/context/changed-files.ts"
import { systemPrompt } from "#kits/context/system.ts"
import { openAuto } from "#kits/permissions/auto.ts"
import { hiddenTools, hidesPath } from "#kits/permissions/hidden-tools.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import { parseRules, type RuleText } from "#kits/permissions/rule.ts"
import { todoKit } from "#kits/todo/kit.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import type { Clock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { attach } from "./attach.ts"
import { openFeed } from "./feed.ts"
import { openInbox } from "./inbox.ts"
import { recordIntent } from "./intent.ts"
import { type KeptFailure, type LogChoice, openKept, unsavedWords } from "./kept.ts"
import { openMender } from "./mend.ts"
import { openPreparation } from "./prepare.ts"
import { type Answerer, openQuestions } from "./questions.ts"
import { openRecorder } from "./recorder.ts"
import { repair } from "./repair.ts"
import { openDoor, type Session } from "./session.ts"
import { openSmallModel } from "./small-model.ts"
import { foldState, type SessionState } from "./state.ts"

export interface SessionOptions {
  readonly id: string
  readonly log: LogChoice
  readonly shelf: Shelf
  readonly place: Place
  readonly model: ModelChoice
  readonly permissions: PermissionChoice
  readonly system: { readonly face: "terminal" | "headless"; readonly replaced?: string; readonly appended?: string }
  readonly limits: Limits & {
    readonly maxBudgetUsd?: number
    readonly maxOutputTokens?: number
    readonly thinking: Thinking
  }
  readonly shell: {
    readonly defaultTimeoutMs: number
    readonly maxTimeoutMs: number
    readonly outputCharacters: number
    /** The person's own shell, whose functions and PATH commands may use; only where the folder is trusted. */
    readonly snapshot?: PersonShell
  }
  /** A search service, if one is configured. */
  readonly search?: SearchSource
  readonly answerer: Answerer
  readonly clock: Clock
  readonly ids: Ids
}

export interface Place {
  readonly cwd: string
  readonly home: string
  readonly stateFolder: string
  readonly addedFolders: readonly string[]
  /** The environment of commands, with secrets removed. */
  readonly childEnv: () => Readonly<Record<string, string>>
  readonly ripgrep: string
  readonly platform: string
  readonly osVersion: string
  readonly version: string
  readonly entrypoint: string
  readonly pid: number
}

export interface ModelChoice {
  readonly port: Model
  readonly id: string
  /** Whether it was asked for now, and so is stronger than that of a resumed session; taken as yes when absent. */
  readonly given?: boolean
  readonly fallback?: string
  /** What does small work: answers about web pages, titles. */
  readonly small: string
  readonly factsOf: (model: string) => ModelFacts
  readonly prices: Prices
}

export interface PermissionChoice {
  readonly mode: PermissionMode
  /** Whether the mode was asked for now, and so is stronger than that of a resumed session. */
  readonly modeGiven: boolean
  readonly bypassAvailable: boolean
  readonly rules: readonly RuleText[]
  /** Whether only the managed policy's rules may allow, so that the person can add none. */
  readonly managedOnly?: boolean
}

export type OpenFailure = KeptFailure | { readonly kind: "malformed_rule"; readonly message: string }

export async function openSession(options: SessionOptions): Promise<Result<Session, OpenFailure>> {
  const { id, place, clock, ids, shelf, model: choice } = options
  const { rules, problems } = parseRules(options.permissions.rules)
  const malformedDeny = problems.find(({ level, rule }) => level === "error" && rule.behavior === "deny")
  // A deny rule that cannot be understood might forbid anything, so nothing runs until it is mended.
  if (malformedDeny && options.answerer === "nobody")
    return failed({ kind: "malformed_rule", message: malformedDeny.message })

  const kept = openKept({ ...options, version: place.version, cwd: place.cwd, pid: place.pid })
  if (!kept.ok) return kept
  const { log, entries, notes, unlock } = kept.value

  const feed = openFeed()
  const inbox = openInbox()
  const conversation = openConversation({ shrink })
  const isAllowedFolder = (path: string): boolean =>
    [place.cwd, ...place.addedFolders].some((root) => path === root || isBelow(path, root))
  // Beside its log, wherever that is: a session may be resumed from another folder.
  const sessionFolder = log ? log.path.replace(/\.jsonl$/, "") : shelf.sessionFolder(id)
  const judgedPlace = {
    root: place.cwd,
    added: place.addedFolders,
    home: place.home,
    protectedPaths: [place.stateFolder],
    own: [sessionFolder],
  }
  const workspace = openWorkspace({
    root: place.cwd,
    home: place.home,
    ripgrep: place.ripgrep,
    sessionFolder,
    env: place.childEnv,
    clock,
    ids,
    isAllowedFolder,
    isHidden: hidesPath(rules, { workspace: judgedPlace, cwd: place.cwd, realPath }),
    ...given("snapshot", options.shell.snapshot),
  })
  const isFolder = (path: string): boolean => {
    const seen = workspace.files.look(realPath(path))
    return !seen.ok && seen.failure.kind === "is_folder"
  }
  const repository = findRepository(place.cwd)

  let state: SessionState = {
    mode: options.permissions.mode,
    model: choice.id,
    cwd: place.cwd,
    costUsd: 0,
    spending: {},
    contextTokens: 0,
    turns: 0,
    lastEnd: undefined,
  }
  const origin = (): Origin => ({
    sessionId: id,
    cwd: state.cwd,
    version: place.version,
    gitBranch: repository?.branch ?? "",
    entrypoint: place.entrypoint,
  })
  const fold = (entry: Entry): void => {
    state = foldState(state, entry)
    conversation.take(entry)
    preparation.take(entry)
    mender.take(entry)
    for (const kit of kits) kit.take?.(entry)
    if (entry.kind === "cwd") workspace.setCwd(entry.path)
    // What was read in there is no longer before the model, so it must be shown again when asked for.
    if (entry.kind === "shrink" || entry.kind === "orphan") workspace.stamps.forgetShown()
  }
  // Until there is a door, nothing runs that could be interrupted.
  let interrupt = (): void => {}
  const recorder = openRecorder({ log, origin, feed, clock, ids, fold, onFailure: () => interrupt() })
  const { record } = recorder
  const questions = openQuestions({ answerer: options.answerer, ids, record, tell: feed.publish })
  const mender = openMender({ model: () => state.model, fallbackModel: choice.fallback, record })

  const ledger = openLedger({
    prices: choice.prices,
    ...(options.limits.maxBudgetUsd !== undefined && { caps: { usd: options.limits.maxBudgetUsd } }),
    spent: entries.flatMap((entry) =>
      entry.kind === "reply_end"
        ? [
            {
              who: "main",
              model: entry.model,
              usage: entry.usage,
              ...(entry.costUsd !== undefined && { costUsd: entry.costUsd }),
            },
          ]
        : [],
    ),
  })
  const web = openWeb({
    clock,
    // Only a rule that names the very host opens a private one; a wildcard was not written with it in mind.
    allowsPrivate: (host) =>
      rules.some(
        ({ behavior, tool, matter }) =>
          behavior === "allow" &&
          tool === "WebFetch" &&
          matter.kind === "host" &&
          !matter.below &&
          matter.host === host,
      ),
  })
  const askSmall = openSmallModel({ port: choice.port, model: choice.small, ledger })
  const searchTool = webSearchTool({ clock, ...given("endpoint", options.search) })
  const webTools = [webFetchTool({ web, clock, ask: askSmall }), ...(searchTool ? [searchTool] : [])]

  const saveGrant = ({ rule, destination }: Grant): Result<void, string> => {
    if (destination === "session") return ok(undefined)
    const file = ruleFile(destination, { root: place.cwd, state: place.stateFolder })
    const saved = saveRule({ file, behavior: "allow", rule })
    return saved.ok ? ok(undefined) : saved
  }
  const sight = openShellSight()
  const roots = [place.cwd, ...place.addedFolders, sessionFolder]
  const readsOnly = (command: string, cwd: string): readonly string[] | undefined =>
    sight.now()?.readsOnly(command, { cwd, home: place.home, roots, realPath })

  const kits: readonly Kit[] = [
    toolsKit({ workspace, clock, ids, bash: options.shell, readsOnly }),
    changedFilesKit(workspace),
    backgroundKit({ background: workspace.background, clock }),
    todoKit({ record }),
    { name: "ask", tools: [askUserTool({ ask: questions.ask })] },
    { name: "web", tools: webTools },
    permissionsKit({
      rules: () => rules,
      mode: () => state.mode,
      cwd: () => state.cwd,
      workspace: () => judgedPlace,
      ask: questions.ask,
      record,
      realPath,
      sight,
      auto: openAuto({ ask: askSmall, clock }),
      ...(!options.permissions.managedOnly && { save: saveGrant }),
    }),
    { name: "intent", middleware: recordIntent({ record, sync: recorder.sync, fingerprint }) },
    { name: "bound", middleware: boundResults((callId, text) => keepResult(sessionFolder, callId, text)) },
  ]
  const allTools = kits.flatMap((kit) => kit.tools ?? [])
  const hidden = new Set(hiddenTools(rules, allTools))
  const tools = allTools.filter(({ name }) => !hidden.has(name))
  const toolNames = tools.map(({ name }) => name)

  const preparation = openPreparation({
    conversation,
    system: systemPrompt({
      ...options.system,
      tools: toolNames,
      environment: {
        cwd: place.cwd,
        isGit: repository !== undefined,
        platform: place.platform,
        shellName: "bash",
        osVersion: place.osVersion,
        date: new Date(clock.now()).toISOString().slice(0, 10),
        model: choice.given === false ? (lastModel(entries) ?? choice.id) : choice.id,
      },
    }),
    tools,
    state: () => state,
    factsOf: choice.factsOf,
    ledger,
    who: "main",
    maxOutputTokens: options.limits.maxOutputTokens,
    thinking: options.limits.thinking,
    record,
  })

  const deliver = (): boolean => {
    const steering = inbox.takeSteering()
    for (const { promptId, content } of steering) record({ kind: "prompt", promptId, content })
    if (steering.length > 0) feed.publish({ type: "queue_change", texts: inbox.texts() })
    return steering.length > 0
  }
  let graceMs = options.limits.graceMs
  const agent: Agent = {
    model: choice.port,
    clock,
    limits: {
      ...options.limits,
      get graceMs() {
        return graceMs
      },
    },
    record,
    tell: feed.publish,
    prepare: preparation.prepare,
    call: layered(kits.flatMap((kit) => kit.middleware ?? [])),
    apply: ({ path }) => void record({ kind: "cwd", path }),
    settle: (_model, usage) => preparation.settle(usage),
    mend: mender.mend,
    async gather(signal) {
      deliver()
      await attach(kits, { record, clock, signal })
      // Not awaited: the step's facts are written already, and only a power cut could lose them.
      void recorder.sync()
    },
    rest: async () => (deliver() ? "go_on" : "end"),
  }

  for (const entry of entries) recorder.replay(entry)
  const { bodies, undelivered } = repair(entries, fingerprint)
  for (const body of bodies) record(body)
  for (const waiting of undelivered) inbox.put(waiting)
  if (options.log.kind === "new") {
    // What a session begins with is a fact too: a resume goes on with it, whatever the settings say by then.
    record({ kind: "mode", mode: state.mode })
    record({ kind: "model", model: state.model, why: "start" })
  }
  const { mode, modeGiven, bypassAvailable } = options.permissions
  // A log must not give a freedom that nobody gives now.
  const lapsed = state.mode === "bypassPermissions" && !bypassAvailable
  if ((modeGiven || lapsed) && state.mode !== mode) record({ kind: "mode", mode })
  if (choice.given !== false && state.model !== choice.id) record({ kind: "model", model: choice.id, why: "chosen" })
  // Where commands ran last may be gone by now, or out of bounds when the session is resumed elsewhere.
  if (state.cwd !== place.cwd && !(isAllowedFolder(state.cwd) && isFolder(state.cwd)))
    record({ kind: "cwd", path: place.cwd })
  const close = async (): Promise<void> => {
    for (const kit of kits) await kit.close?.()
    await workspace.close()
    log?.close()
    unlock()
  }
  const unsaved = recorder.failure()
  if (unsaved) {
    await close()
    return failed({ kind: "log", message: unsavedWords(unsaved) })
  }

  const door = openDoor({
    id,
    about: {
      cwd: place.cwd,
      tools: toolNames,
      logPath: log?.path,
      addedFolders: place.addedFolders,
      entriesBefore: feed.seq(),
      notes: [...notes, ...(lapsed ? [lapsedNote(mode)] : []), ...problems.map(({ message }) => message)],
    },
    agent,
    recorder,
    feed,
    inbox,
    questions,
    ids,
    state: () => state,
    bypassAvailable,
    hurry: (most) => (graceMs = Math.min(graceMs, most)),
    close,
  })
  interrupt = door.interrupt
  return ok(door)
}

const lapsedNote = (mode: PermissionMode): string =>
  `The session ran without permission checks, which was not asked for now: it goes on in the mode ${mode}.`

/** The model that a session had when it was left. */
const lastModel = (entries: readonly Entry[]): string | undefined =>
  entries.flatMap((entry) => (entry.kind === "model" ? [entry.model] : [])).at(-1)

/** The layers as one function, the first outermost, the tool itself innermost. */
function layered(layers: readonly Middleware[]): Next {
  const innermost: Next = (call) => call.tool.run(call.parsed, call)
  return layers.reduceRight<Next>((next, layer) => (call) => layer(call, next), innermost)
}

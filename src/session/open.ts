/** Opens a session: the list of kits, in the order of their layers, and the only place where ground and kits meet. */

import type { Agent, Limits } from "#agent/agent.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Middleware, Next } from "#agent/words/middleware.ts"
import type { Model, ModelFacts, Thinking } from "#agent/words/model.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { keepResult } from "#ground/transcript/keep.ts"
import type { Origin } from "#ground/transcript/line.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { type Log, openLog } from "#ground/transcript/log.ts"
import type { Shelf } from "#ground/transcript/shelf.ts"
import { findRepository } from "#ground/workspace/git.ts"
import { isBelow, realPath } from "#ground/workspace/paths.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { openLedger } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { boundResults } from "#kits/context/bound.ts"
import { systemPrompt } from "#kits/context/system.ts"
import { hiddenTools, hidesPath } from "#kits/permissions/hidden-tools.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import { parseRules, type RuleText } from "#kits/permissions/rule.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openFeed } from "./feed.ts"
import { openInbox } from "./inbox.ts"
import { recordIntent } from "./intent.ts"
import { openMender } from "./mend.ts"
import { openPreparation } from "./prepare.ts"
import { type Answerer, openQuestions } from "./questions.ts"
import { openRecorder } from "./recorder.ts"
import { repair } from "./repair.ts"
import { openDoor, type Session } from "./session.ts"
import { foldState, type SessionState } from "./state.ts"

export interface SessionOptions {
  readonly id: string
  /** A new log, the log of an earlier session to go on with, or none at all. */
  readonly log:
    { readonly kind: "new" } | { readonly kind: "resume"; readonly path: string } | { readonly kind: "none" }
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
  }
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
  readonly fallback?: string
  readonly factsOf: (model: string) => ModelFacts
  readonly prices: Prices
}

export interface PermissionChoice {
  readonly mode: PermissionMode
  /** Whether the mode was asked for now, and so is stronger than that of a resumed session. */
  readonly modeGiven: boolean
  readonly bypassAvailable: boolean
  readonly rules: readonly RuleText[]
}

export type OpenFailure =
  | { readonly kind: "log"; readonly message: string }
  | { readonly kind: "in_use"; readonly message: string }
  | { readonly kind: "malformed_rule"; readonly message: string }

export async function openSession(options: SessionOptions): Promise<Result<Session, OpenFailure>> {
  const { id, place, clock, ids, shelf, model: choice } = options
  const { rules, problems } = parseRules(options.permissions.rules)
  const malformedDeny = problems.find(({ level, rule }) => level === "error" && rule.behavior === "deny")
  // A deny rule that cannot be understood might forbid anything, so nothing runs until it is mended.
  if (malformedDeny && options.answerer === "nobody")
    return failed({ kind: "malformed_rule", message: malformedDeny.message })

  const kept = openKept(options)
  if (!kept.ok) return kept
  const { log, entries, notes, unlock } = kept.value

  const feed = openFeed()
  const inbox = openInbox()
  const conversation = openConversation({ shrink })
  const isAllowedFolder = (path: string): boolean =>
    [place.cwd, ...place.addedFolders].some((root) => path === root || isBelow(path, root))
  const sessionFolder = shelf.sessionFolder(id)
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
  })
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
    if (entry.kind === "cwd") workspace.setCwd(entry.path)
  }
  const recorder = openRecorder({ log, origin, feed, clock, ids, fold, onFailure: () => door.interrupt() })
  const { record } = recorder
  const questions = openQuestions({ answerer: options.answerer, ids, record, tell: feed.publish })
  const mender = openMender({ model: () => state.model, fallbackModel: choice.fallback, record })

  const kits: readonly Kit[] = [
    toolsKit({ workspace, clock, bash: options.shell }),
    permissionsKit({
      rules: () => rules,
      mode: () => state.mode,
      cwd: () => state.cwd,
      workspace: () => judgedPlace,
      ask: questions.ask,
      record,
      realPath,
    }),
    { name: "intent", middleware: recordIntent({ record, sync: recorder.sync }) },
    { name: "bound", middleware: boundResults((callId, text) => keepResult(sessionFolder, callId, text)) },
  ]
  const allTools = kits.flatMap((kit) => kit.tools ?? [])
  const hidden = new Set(hiddenTools(rules, allTools))
  const tools = allTools.filter(({ name }) => !hidden.has(name))
  const toolNames = tools.map(({ name }) => name)

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
        model: choice.id,
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
  const agent: Agent = {
    model: choice.port,
    clock,
    limits: options.limits,
    record,
    tell: feed.publish,
    prepare: preparation.prepare,
    call: layered(kits.flatMap((kit) => kit.middleware ?? [])),
    apply: ({ path }) => void record({ kind: "cwd", path }),
    settle: (_model, usage) => preparation.settle(usage),
    mend: mender.mend,
    async gather() {
      deliver()
      // Not awaited: the step's facts are written already, and only a power cut could lose them.
      void recorder.sync()
    },
    rest: async () => (deliver() ? "go_on" : "end"),
  }

  for (const entry of entries) recorder.replay(entry)
  const { bodies, undelivered } = repair(entries)
  for (const body of bodies) record(body)
  for (const waiting of undelivered) inbox.put(waiting)
  if (options.permissions.modeGiven && state.mode !== options.permissions.mode)
    record({ kind: "mode", mode: options.permissions.mode })
  if (state.model !== choice.id) record({ kind: "model", model: choice.id, why: "chosen" })

  const door = openDoor({
    id,
    about: {
      cwd: place.cwd,
      tools: toolNames,
      logPath: log?.path,
      addedFolders: place.addedFolders,
      entriesBefore: feed.seq(),
      notes: [...notes, ...problems.map(({ message }) => message)],
    },
    agent,
    recorder,
    feed,
    inbox,
    questions,
    ids,
    state: () => state,
    bypassAvailable: options.permissions.bypassAvailable,
    async close() {
      for (const kit of kits) await kit.close?.()
      await workspace.close()
      log?.close()
      unlock()
    },
  })
  return ok(door)
}

interface Kept {
  readonly log: Log | undefined
  readonly entries: readonly Entry[]
  readonly notes: readonly string[]
  readonly unlock: () => void
}

function openKept({ id, log: choice, shelf, place }: SessionOptions): Result<Kept, OpenFailure> {
  if (choice.kind === "none") return ok({ log: undefined, entries: [], notes: [], unlock: () => {} })
  const path = choice.kind === "resume" ? choice.path : shelf.logPath(id)
  const logFailure = (message: string): Result<never, OpenFailure> => failed({ kind: "log", message })
  const log = openLog(path, { sessionId: id, version: place.version, isNew: choice.kind === "new" })
  if (!log.ok)
    return logFailure(
      `The session cannot be saved: ${log.failure.message} (${path}). Set CODEWRIGHT_HOME to a folder that can be written, or use --no-session-persistence.`,
    )
  const lock = takeLock(`${path}.lock`, place.pid)
  if (!lock.ok) {
    log.value.close()
    return lock.failure.kind === "held"
      ? failed({
          kind: "in_use",
          message: `The session is open in another process (${lock.failure.pid}). Close it there first.`,
        })
      : logFailure(`The session cannot be locked: ${lock.failure.message}`)
  }
  const unlock = lock.value
  if (choice.kind === "new") return ok({ log: log.value, entries: [], notes: [], unlock })
  const loaded = loadLog(path)
  if (!loaded.ok) {
    log.value.close()
    unlock()
    return logFailure(
      loaded.failure.kind === "newer"
        ? `The session was written by a newer Codewright (format ${loaded.failure.format}). Update to open it.`
        : `The session cannot be read: ${loaded.failure.message}`,
    )
  }
  return ok({ log: log.value, ...loaded.value, unlock })
}

/** The layers as one function, the first outermost, the tool itself innermost. */
function layered(layers: readonly Middleware[]): Next {
  const innermost: Next = (call) => call.tool.run(call.parsed, call)
  return layers.reduceRight<Next>((next, layer) => (call) => layer(call, next), innermost)
}

/** Opens a session: what is kept is read, ground and kits are brought together, and the door is handed out. */

import type { Entry } from "#agent/words/entry.ts"
import type { Origin } from "#ground/transcript/line.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { openLedger } from "#kits/budget/ledger.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { openCacheWatch } from "#kits/context/caching.ts"
import { contextParts } from "#kits/context/parts.ts"
import { systemPrompt } from "#kits/context/system.ts"
import { hiddenTools, hidesPath } from "#kits/permissions/hidden-tools.ts"
import { parseRules } from "#kits/permissions/rule.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openAgent } from "./agent.ts"
import { openChores } from "./chores.ts"
import { openCompacting } from "./compacting.ts"
import { openDoor } from "./door.ts"
import { openFeed } from "./feed.ts"
import { gatherKits } from "./gather.ts"
import { openGround } from "./ground.ts"
import { openInbox } from "./inbox.ts"
import { type KeptFailure, openKept, unsavedWords } from "./kept.ts"
import { openLook } from "./look.ts"
import { openMemoryFiles } from "./memory.ts"
import { openMender } from "./mend.ts"
import type { SessionOptions } from "./options.ts"
import { openPast } from "./past.ts"
import { openPreparation } from "./prepare.ts"
import { openProviderSearch } from "./provider-search.ts"
import { openQuestions } from "./questions.ts"
import { openRecorder } from "./recorder.ts"
import type { Session } from "./session.ts"
import type { SideParts } from "./side-request.ts"
import { openSmallModel } from "./small-model.ts"
import { openStanding } from "./standing.ts"
import { beginningState, foldState, type SessionState, spentWith } from "./state.ts"
import { dayOf, openSurroundings } from "./surroundings.ts"
import { openTitler } from "./title.ts"
import { standingBefore, wake } from "./wake.ts"

/** After these the model no longer has before it all that it was shown. */
const takesAway: ReadonlySet<Entry["kind"]> = new Set(["shrink", "stub", "compaction", "head", "orphan"])

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
  // Beside its log, wherever that is: a session may be resumed from another folder.
  const sessionFolder = log ? log.path.replace(/\.jsonl$/, "") : shelf.sessionFolder(id)
  const ground = openGround(options, { rules, sessionFolder, isPlanning: () => state.mode === "plan" })
  const { workspace, repository } = ground

  const feed = openFeed()
  const inbox = openInbox()
  const past = openPast({ log, feed })
  const conversation = openConversation({ shrink })
  let state = beginningState({ mode: options.permissions.mode, model: choice.id, cwd: place.cwd })
  /** With the model that answers in this mode, which need not be the one that was chosen. */
  const stateNow = (): SessionState => (choice.forMode ? { ...state, model: choice.forMode(state) } : state)
  const standing = openStanding()
  let awake = false

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
    standing.take(entry)
    cacheWatch.take(entry)
    titler?.take(entry, awake)
    for (const kit of kits) kit.take?.(entry)
    if (entry.kind === "cwd") workspace.setCwd(entry.path)
    // What was read in there is no longer before the model, so it must be shown again when asked for.
    if (takesAway.has(entry.kind)) workspace.stamps.forgetShown()
    if (entry.kind === "head" && awake) goOnFrom(past.pathTo(entry.to))
  }
  const goOnFrom = (path: readonly Entry[]): void => {
    conversation.rewound(path)
    preparation.rewound()
    standing.rewound(path)
    for (const kit of kits) kit.rewound?.(path)
  }
  // Until there is a door, nothing runs that could be interrupted.
  let interrupt = (): void => {}
  const recorder = openRecorder({ log, origin, feed, clock, ids, fold, onFailure: () => interrupt() })
  const { record } = recorder
  const questions = openQuestions({ answerer: options.answerer, ids, record, tell: feed.publish })
  const mender = openMender({
    model: () => state.model,
    fallbackModel: choice.fallback,
    record,
    demandCompaction: () => compaction.demand(),
  })
  const ledger = openLedger({
    prices: choice.prices,
    ...(options.limits.maxBudgetUsd !== undefined && { caps: { usd: options.limits.maxBudgetUsd } }),
    spent: [],
  })
  const side: SideParts = {
    port: choice.port,
    ledger,
    onSpent: (spent) => void record(spentWith(state, { costUsd: 0, ...spent })),
  }
  const askSmall = openSmallModel({ ...side, model: choice.small })
  const providerSearch = openProviderSearch({ ...side, models: [choice.small, choice.id] })

  const cacheWatch = openCacheWatch({ record })
  const titler = options.names ? openTitler({ ask: askSmall, record }) : undefined

  const promptDate = dayOf(clock.now())
  const isHidden = hidesPath(rules, { workspace: ground.judged, cwd: place.cwd, realPath })
  const { maxBudgetUsd } = options.limits
  const surroundings = openSurroundings({
    options,
    ground,
    isHidden,
    ask: questions.ask,
    record,
    usage: {
      tokens: () => {
        const { warning, auto } = compaction.levels()
        return { used: compaction.contextTokens(), warning, end: auto }
      },
      money: () => (maxBudgetUsd === undefined ? undefined : { spentUsd: state.costUsd, capUsd: maxBudgetUsd }),
    },
    promptDate,
  })
  const compaction = openCompacting({
    options,
    ground,
    conversation,
    preparation: () => preparation,
    ledger,
    state: stateNow,
    standing: () => standing.bodies(state),
    context: surroundings.userContext,
    transcript: log?.path,
    record,
    tell: feed.publish,
  })
  const gathered = gatherKits({
    options,
    ground,
    rules,
    recorder,
    questions,
    askSmall,
    providerSearch,
    state: () => state,
    startFresh: (plan) =>
      door.startFresh(`Carry out this plan, which I approved. Begin with your list of work.\n\n${plan}`),
  })
  const kits = [surroundings.mentions, surroundings.userContext, ...gathered.kits, ...surroundings.last, compaction]
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
        date: promptDate,
        model: choice.given === false ? (lastModel([...standingBefore(entries), ...entries]) ?? choice.id) : choice.id,
      },
    }),
    tools,
    state: stateNow,
    factsOf: choice.factsOf,
    ledger,
    who: "main",
    maxOutputTokens: options.limits.maxOutputTokens,
    thinking: options.limits.thinking,
    record,
    makeRoom: compaction.beforeRequest,
  })

  const agent = openAgent({
    options,
    kits,
    attaching: options.attachments === "off" ? [surroundings.userContext] : kits,
    preparation,
    onSent: cacheWatch.sent,
    mender,
    recorder,
    feed,
    inbox,
  })
  const awaken = (): void => {
    awake = true
    if (options.forkedFrom) gathered.plan.forked()
  }
  const woken = wake({ options, ground, entries, fold, goOnFrom, awaken, recorder, ledger, inbox, state: () => state })
  const close = async (): Promise<void> => {
    await titler?.close()
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
      notes: [...notes, ...woken.notes, ...problems.map(({ message }) => message)],
    },
    agent,
    recorder,
    feed,
    inbox,
    questions,
    ids,
    chores: openChores({
      ...recorder,
      past,
      todos: standing.todos,
      forgottenPlan: gathered.plan.forgotten,
      undo: gathered.checkpoints,
      compact: async (wish, signal) => {
        const done = await compaction.compact(wish, signal)
        if (!done.ok) record({ kind: "notice", level: "warning", text: done.failure })
      },
      workspace,
      cwd: () => state.cwd,
      limits: options.shell,
      ids,
    }),
    state: stateNow,
    beforePrompt: gathered.checkpoints.beforePrompt,
    look: openLook({
      past,
      checkpoints: gathered.checkpoints,
      plan: gathered.plan,
      workspace,
      context() {
        const { window, auto } = compaction.levels()
        const request = preparation.ordinary()
        return contextParts({ request, contextTokens: compaction.contextTokens(), window, usable: auto })
      },
      memory: openMemoryFiles(workspace, surroundings.place, surroundings.userContext.noted),
    }),
    bypassAvailable: options.permissions.bypassAvailable,
    ...given("unfinished", woken.unfinished),
    moveToBackground: workspace.shell.moveToBackground,
    hurry: agent.hurry,
    close,
  })
  interrupt = door.interrupt
  return ok(door)
}

/** The model that a session had when it was left. */
const lastModel = (entries: readonly Entry[]): string | undefined =>
  entries.flatMap((entry) => (entry.kind === "model" ? [entry.model] : [])).at(-1)

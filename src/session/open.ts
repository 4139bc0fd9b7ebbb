/** Opens a session: what is kept is read, ground and kits are brought together, and the door is handed out. */

import type { Origin } from "#ground/transcript/line.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { openCacheWatch } from "#kits/context/caching.ts"
import { type ContextParts, contextParts } from "#kits/context/parts.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import { openCrowd } from "#kits/subagents/crowd.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openAdmission } from "./admission.ts"
import { openAgent } from "./agent.ts"
import { inherited, questionsOf } from "./child.ts"
import { openAside } from "./aside.ts"
import { openChores } from "./chores.ts"
import { type Extensions, openExtensions } from "./commands.ts"
import { openCompacting } from "./compacting.ts"
import { isListed, onlyReads } from "./crew.ts"
import { openDoor } from "./door.ts"
import { openFeed } from "./feed.ts"
import { openFold } from "./fold.ts"
import { gatherKits } from "./gather.ts"
import { openGround } from "./ground.ts"
import { lookAtHooks } from "./hooks-look.ts"
import { openInbox } from "./inbox.ts"
import { type KeptFailure, openKept, unsavedWords } from "./kept.ts"
import { openLook } from "./look.ts"
import { openMcpRoom } from "./mcp.ts"
import { openMemoryFiles } from "./memory.ts"
import { openMender } from "./mend.ts"
import type { SessionOptions } from "./options.ts"
import { kitsFor } from "./outside.ts"
import { openPast } from "./past.ts"
import { openPreparation } from "./prepare.ts"
import { openQuestions } from "./questions.ts"
import { openRecorder } from "./recorder.ts"
import { hiding, openRules } from "./rules.ts"
import { openSetup } from "./setup.ts"
import type { Session } from "./session.ts"
import { openSpawner, type SpawnerParts } from "./spawn.ts"
import { openStanding } from "./standing.ts"
import { beginningState, foldState, type SessionState } from "./state.ts"
import { dayOf, openSurroundings, withSkills } from "./surroundings.ts"
import { openSystem } from "./system.ts"
import { openTitler } from "./title.ts"
import { wake } from "./wake.ts"

export type OpenFailure = KeptFailure | { readonly kind: "malformed_rule"; readonly message: string }

export async function openSession(options: SessionOptions): Promise<Result<Session, OpenFailure>> {
  const { id, place, clock, ids, shelf, model: choice, child } = options
  const inForce = openRules(options.permissions.rules)
  const { problems } = inForce
  const rules = inForce.now()
  const malformedDeny = problems.find(({ level, rule }) => level === "error" && rule.behavior === "deny")
  // A deny rule that cannot be understood might forbid anything, so nothing runs until it is mended.
  if (malformedDeny && options.answerer === "nobody")
    return failed({ kind: "malformed_rule", message: malformedDeny.message })

  const kept = openKept({ ...options, version: place.version, cwd: place.cwd, pid: place.pid })
  if (!kept.ok) return kept
  const { log, entries, notes, unlock } = kept.value
  // Beside its log, wherever that is: a session may be resumed from another folder.
  const sessionFolder = log ? log.path.replace(/\.jsonl$/, "") : shelf.sessionFolder(id)
  const isPlanning = (): boolean => onlyReads(options) || current().mode === "plan"
  const ground = openGround(options, { rules: inForce.now, sessionFolder, isPlanning })
  const { workspace, repository } = ground

  const feed = openFeed()
  const inbox = openInbox()
  const past = openPast({ log, feed })
  const conversation = openConversation({ shrink })
  let state = beginningState({ mode: options.permissions.mode, model: choice.id, cwd: place.cwd })
  /** The mode of an agent is never its own. */
  const current = (): SessionState => (child ? { ...state, mode: child.parent.mode() } : state)
  /** With the model that answers in this mode, which need not be the one that was chosen. */
  const stateNow = (): SessionState => {
    const model = extensions?.commands.turn.model() ?? choice.forMode?.(current())
    return model === undefined ? current() : { ...current(), model }
  }
  const standing = openStanding()
  let extensions: Extensions | undefined = undefined
  let awake = false

  const origin = (): Origin => ({
    sessionId: child?.parent.sessionId ?? id,
    ...given("agentId", child?.agentId),
    cwd: state.cwd,
    version: place.version,
    gitBranch: repository?.branch ?? "",
    entrypoint: place.entrypoint,
  })
  const { fold, goOnFrom } = openFold({
    followers: () => [
      { take: (entry) => void (state = foldState(state, entry)) },
      inForce,
      { conversation },
      preparation,
      mender,
      standing,
      cacheWatch,
      { take: (entry) => titler?.take(entry, awake) },
      ...kits,
    ],
    workspace,
    pathTo: past.pathTo,
    isAwake: () => awake,
  })
  // Until there is a door, nothing runs that could be interrupted.
  let interrupt = (): void => {}
  const recorder = openRecorder({ log, origin, feed, clock, ids, fold, onFailure: () => interrupt() })
  const { record } = recorder
  const questions = child
    ? questionsOf(child)
    : openQuestions({ answerer: options.answerer, record, tell: feed.publish })
  const mender = openMender({
    model: () => state.model,
    fallbackModel: choice.fallback,
    record,
    demandCompaction: () => compaction.demand(),
  })
  const { ledger, askSmall, providerSearch, onSpent } = openAside({ options, record, state: () => state })
  const cacheWatch = openCacheWatch({ record, keptMs: (model) => choice.factsOf(model).cacheKeptMs })
  const titler = options.names ? openTitler({ ask: askSmall, record }) : undefined

  const isHidden = hiding(inForce.now, { workspace: ground.judged, cwd: place.cwd, realPath })
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
    promptDate: () => setup.day(),
    agents: () => (toolNames.includes("Task") ? (gathered.agents?.types ?? []) : []),
    resource: async (server, uri, signal) => mcp?.mentioned(server, uri, signal),
  })
  const hooks = options.hooks?.length
    ? (await import("./hooks.ts")).openSessionHooks({
        options,
        ground,
        rules,
        askSmall,
        state: stateNow,
        record,
        transcript: log?.path,
        isAwake: () => awake,
        // Those that answer hooks have none themselves, or one would call for the next.
        spawn: (ask) => openSpawner({ ...spawning, options: { ...options, hooks: [] } }).spawn(ask),
      })
    : undefined
  extensions =
    options.extensions && !child
      ? openExtensions({
          options,
          choice: options.extensions,
          ground,
          record,
          state: current,
          window: () => facts().window,
          tools: () => preparation.tools(),
          call: (call) => agent.call(call),
          servers: () => mcp,
          todos: standing.todos,
          context: () => inContext(),
          compact: (wish, signal) => compaction.compact(wish, signal),
        })
      : undefined
  const compaction = openCompacting({
    options,
    ground,
    conversation,
    preparation: () => preparation,
    ledger,
    state: stateNow,
    standing: () => standing.bodies(state),
    context: withSkills(surroundings.userContext, extensions?.skills),
    extras: extensions?.skills.loaded,
    transcript: log?.path,
    agents: () => gathered.agents?.crew.running() ?? [],
    hooks: hooks?.compaction,
    record,
    tell: feed.publish,
  })
  const crowd = child?.parent.crowd ?? openCrowd()
  const spawning: SpawnerParts = {
    options,
    ground,
    open: openSession,
    state: current,
    isKept: log !== undefined,
    onSpent,
    messages: conversation.messages,
    parent: () => ({
      sessionId: origin().sessionId,
      mode: () => current().mode,
      grants: gathered.grants,
      denials: extensions?.commands.turn.denied ?? child?.parent.denials ?? (() => []),
      ask: questions.ask,
      asked: questions.asked,
      ledger,
      checkpoints: gathered.checkpoints,
      planWatch: child?.parent.planWatch ?? gathered.plan.watch,
      planSlug: () => gathered.plan.named().slug,
      crowd,
      ...given("late", late?.handed),
      beginning: setup.beginning,
    }),
  }
  const spawner = openSpawner(spawning)
  const mcp = await openMcpRoom({ options, ground, rules, ask: questions.ask, record })
  const gathered = gatherKits({
    options,
    ground,
    rules: inForce.now,
    recorder,
    questions,
    askSmall,
    providerSearch,
    state: current,
    askHook: hooks?.request,
    commandRules: extensions && { allowed: extensions.allowed, denied: extensions.commands.turn.denied },
    crew: { crowd, tell: feed.publish, ...spawner },
    startFresh: (plan) =>
      door.startFresh(`Carry out this plan, which I approved. Begin with your list of work.\n\n${plan}`),
  })
  const facts = () => choice.factsOf(stateNow().model)
  const defers = (): boolean => facts().defersTools === true && options.deferral !== "never"
  const brought = [...kitsFor(options), ...(mcp ? [mcp.kit] : []), ...gathered.kits]
  // Nothing is loaded, and nothing listed, where no tool can come later.
  const late = brought.some((kit) => kit.late)
    ? (await import("./late.ts")).openLate({
        kits: brought,
        rules,
        mayUse: (tool) => isListed(options, tool),
        defers,
        listsAll: options.deferral === "never",
        window: () => facts().window,
      })
    : undefined
  const kits = [
    ...surroundings.first,
    surroundings.userContext,
    // All others judge the tool that is called, also when it is called through another.
    ...(late ? [late.kit] : []),
    // Before every other layer: what hooks change is judged by all that follow.
    ...(hooks ? [hooks.kit] : []),
    ...brought,
    ...(extensions?.kits ?? []),
    ...surroundings.last,
    compaction,
  ]
  const allTools = kits.flatMap((kit) => kit.tools ?? [])
  const hidden = new Set(hiddenTools(rules, allTools))
  const tools = allTools.filter((tool) => !hidden.has(tool.name) && isListed(options, tool))
  const toolNames = tools.map(({ name }) => name)

  const setup = openSetup({
    settled: tools,
    late,
    defers,
    ...given("begun", child?.definition.forkContext ? child.parent.beginning() : undefined),
    day: () => dayOf(clock.now()),
    system: openSystem({ options, ground, model: () => state.model, style: () => extensions?.style() }),
  })
  const preparation = openPreparation({
    conversation,
    setup,
    tells: options.attachments !== "off",
    state: stateNow,
    factsOf: choice.factsOf,
    ledger,
    who: "main",
    maxOutputTokens: options.limits.maxOutputTokens,
    thinking: options.limits.thinking,
    record,
    makeRoom: compaction.beforeRequest,
  })

  const admission = hooks && openAdmission({ hooks, inbox, record })
  const agent = openAgent({
    options,
    kits,
    attaching: options.attachments === "off" ? [surroundings.userContext, ...(hooks ? [hooks.kit] : [])] : kits,
    preparation,
    onSent: cacheWatch.sent,
    mender,
    recorder,
    feed,
    inbox,
    hooks,
    admission,
    ...given("ready", mcp?.ready),
  })
  const inContext = (): ContextParts => {
    const { window, auto } = compaction.levels()
    const isSkills = extensions?.skills.isGiven
    const request = preparation.ordinary()
    return contextParts({ request, contextTokens: compaction.contextTokens(), window, usable: auto, isSkills })
  }
  const awaken = (): void => {
    awake = true
    if (options.forkedFrom) gathered.plan.forked()
  }
  const woken = wake({
    options,
    ground,
    entries,
    fold,
    goOnFrom,
    awaken,
    recorder,
    ledger,
    inbox,
    questions,
    state: () => state,
  })
  if (child?.messages) record(inherited(child.messages))
  const unwatch = options.permissions.watch?.((written) => inForce.follow(written).forEach(record))
  const close = async (): Promise<void> => {
    unwatch?.()
    await hooks?.close()
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
      agents: gathered.agents?.types ?? [],
      entriesBefore: feed.seq(),
      notes: [
        ...notes,
        ...woken.notes,
        ...problems.map(({ message }) => message),
        ...(child ? [] : (hooks?.configuration.problems ?? [])),
      ],
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
      compact: compaction.compact,
      workspace,
      cwd: () => state.cwd,
      limits: options.shell,
      ids,
      clock,
      tell: feed.publish,
    }),
    state: stateNow,
    beforePrompt: gathered.checkpoints.beforePrompt,
    hooks,
    admission,
    commands: extensions?.desk,
    look: openLook({
      extensions,
      past,
      hooks: () => lookAtHooks(hooks?.configuration, past.entriesNow()),
      checkpoints: gathered.checkpoints,
      plan: gathered.plan,
      workspace,
      crew: gathered.agents?.crew,
      agentTypes: gathered.agents?.definitions ?? [],
      agentEntries: spawner.entriesOf,
      tools: () => [...toolNames, ...(late?.handed.late?.() ?? []).map(({ name }) => name)],
      mcp,
      context: inContext,
      memory: openMemoryFiles(workspace, surroundings.place, surroundings.userContext.noted),
    }),
    bypassAvailable: options.permissions.bypassAvailable,
    ...given("unfinished", woken.unfinished),
    moveToBackground: () => workspace.shell.moveToBackground() || (gathered.agents?.crew.moveAll() ?? false),
    ...given("agents", gathered.agents?.crew),
    hurry(graceMs) {
      agent.hurry(graceMs)
      gathered.agents?.crew.hurry(graceMs)
    },
    close,
  })
  interrupt = door.interrupt
  hooks?.begin(options.log.kind === "resume" ? "resume" : "startup")
  mcp?.start()
  return ok(door)
}

/** What drives a session: the agent, its inbox, the turn driver, and the work done between turns. */

import type { Kept } from "#session/journal/kept.ts"
import { openAdmission } from "#session/turn/admission.ts"
import { type LiveAgent, openAgent } from "#session/turn/agent.ts"
import { answer, openSeen, type EarlyAnswers } from "#session/adapters/answers.ts"
import { addFolder } from "#session/adapters/add-folder.ts"
import { addRule } from "#session/adapters/add-rule.ts"
import { doAtOnce, type OpAtOnce } from "#session/port/at-once.ts"
import type { Calls } from "#session/turn/calls.ts"
import { type Chores, openChores } from "#session/turn/chores.ts"
import type { RequestStage } from "./request-stage.ts"
import { modelNameOf } from "#session/opening/hand-down.ts"
import { type Driver, openDriver } from "#session/turn/drive.ts"
import type { Inbox } from "#session/journal/inbox.ts"
import { meanwhile } from "#session/turn/meanwhile.ts"
import { describeHooks } from "#session/port/describe-hooks.ts"
import { doInTime, type InTimeParts, type OpInTime } from "#session/adapters/in-time.ts"
import { setGate } from "#session/adapters/set-gate.ts"
import { answerByTool } from "#session/adapters/prompt-tool.ts"
import { mistakeWords } from "#session/turn/mistake-words.ts"
import { openClientFiles } from "#session/adapters/client-files.ts"
import type { Answers } from "#session/port/query.ts"
import { completedIn, stageOverview } from "#session/port/stage-overview.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import type { ContextDetails } from "#kits/context/parts.ts"
import { ruleText } from "#kits/permissions/rules/rule.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { callServer } from "#session/adapters/server-call.ts"
import { openRecovery } from "#session/request/recover.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Rooms } from "./rooms.ts"
import type { OpFailure } from "#session/port/session.ts"
import type { SlashParts } from "#session/slash/answer.ts"
import type { Slash } from "#session/port/command.ts"
import type { Foundation } from "./foundation.ts"
import { openCommandDelivery, type CommandDelivery } from "#session/turn/command-delivery.ts"
import { openSuggester } from "#session/request/suggest.ts"
import { openTitler } from "#session/request/title.ts"
import { specOf } from "#session/request/setup.ts"
import { failed, type Result } from "#lib/result.ts"
import { optional } from "#lib/optional.ts"

export interface Engine {
  readonly inbox: Inbox
  readonly agent: LiveAgent
  readonly commands: CommandDelivery
  readonly chores: Chores
  readonly atOnce: (op: OpAtOnce) => Result<void, OpFailure>
  readonly inTime: (op: OpInTime) => Promise<Result<void, OpFailure>>
  readonly seen: EarlyAnswers
  readonly slash: Slash
  readonly driver: Driver
  readonly start: () => void
  readonly close: () => Promise<void>
}

export function openEngine(
  options: SessionOptions,
  foundation: Foundation,
  rooms: Rooms,
  requestStage: RequestStage,
  calls: Calls,
): Engine {
  const { journal, record, states, ground, inbox } = foundation
  const { own, hooks } = rooms
  const recovery = openRecovery({
    model: () => states.logged().model,
    fallbackModels: [options.model.fallback ?? []].flat(),
    record,
    demandCompaction: requestStage.compaction.demand,
  })
  const titler = options.names ? openTitler({ ask: foundation.askSmall, record, isAwake: journal.isAwake }) : undefined
  const suggester = options.suggests
    ? openSuggester({
        ...foundation,
        ask: foundation.askSmall,
        isAwake: journal.isAwake,
        mode: () => states.current().mode,
      })
    : undefined
  journal.follow(recovery, inbox.follower, ...(titler ? [titler] : []), ...(suggester ? [suggester] : []))
  const admission = hooks && openAdmission({ hooks, inbox, turns: foundation.turns, record })
  const agent = openAgent({
    ...options,
    model: meanwhile(options.model.port, { clock: options.clock, load: own.loadAhead }),
    calls,
    kits: requestStage.kits,
    attaching: requestStage.speaking,
    preparation: requestStage.preparation,
    makeRoom: requestStage.makeRoom,
    onSent: requestStage.cacheWatch.sent,
    recovery,
    overBudget: foundation.overBudget,
    journal,
    inbox,
    hooks,
    goal: own.goal,
    admission,
    ...optional("ready", rooms.mcp?.ready),
    ...optional("arrived", rooms.mcp?.arrived),
    ...optional("end", rooms.kits.structured?.end),
  })
  const commands = openCommandDelivery({ ...journal, ...commandDeliveryParts(options, rooms) })
  const chores = openChores({
    ...options,
    ...journal,
    publish: foundation.publish,
    todos: foundation.standing.todos,
    goal: () => own.goal?.goal(),
    forgottenPlan: own.plan.forgotten,
    undo: own.checkpoints,
    compact: requestStage.compaction.compact,
    workspace: ground.workspace,
    cwd: () => states.logged().cwd,
    isAllowedFolder: ground.isAllowedFolder,
    limits: options.shell,
    setStyle: rooms.extensions?.setStyle,
  })
  const { beforePrompt } = own.checkpoints
  const atOnce = (op: OpAtOnce): ReturnType<typeof doAtOnce> =>
    doAtOnce(op, {
      record,
      thinking: () => states.logged().thinking,
      ability: () => options.model.factsOf(states.answering().model).thinks,
      bypassAvailable: options.permissions.bypassAvailable,
      withoutAuto: options.permissions.withoutAuto,
      isHeld: foundation.isHeld,
      lastReply() {
        const last = journal.feed.entries().findLast(({ kind }) => kind === "reply_end")
        return last?.kind === "reply_end" ? last.messageId : undefined
      },
      setGate: (wish) => setGate(wish, { ...foundation, plan: own.plan, permissions: options.permissions }),
      setGoal: own.goal?.set ?? (() => failed("Goals are set in the session that started this agent.")),
      setLoop: own.loop?.set ?? (() => failed("Loops are started in the session that started this agent.")),
      addRule: (rule) => addRule(rule, { rules: foundation.rules, grants: own.grants, record, place: options.place }),
      addFolder: (folder) => addFolder(folder, { ...ground, place: options.place, cwd: states.logged().cwd, record }),
      moveToBackground: options.shell.background === "off" ? () => false : backgroundMover(ground, own),
      agents: own.agents?.crew,
    })
  const seen = see(options, foundation, rooms, requestStage, calls)
  const slashParts: SlashParts = {
    ask: (query) => answer(seen, query),
    state: states.answering,
    todos: foundation.standing.todos,
    rules: foundation.rules.now,
    styles: rooms.extensions?.styles,
    choices: options.choices,
    program: options.program,
    place: options.place,
    kept: foundation.transcript === undefined ? undefined : options.id,
    clock: options.clock,
  }
  const slash: Slash = async (...said) => (await import("#session/slash/answer.ts")).openSlash(slashParts)(...said)
  const driver = openDriver({
    ...foundation,
    ids: options.ids,
    inbox,
    agent,
    commands,
    hooks,
    goal: own.goal,
    admission,
    beforePrompt,
    chores,
    atOnce,
    slash,
  })
  answerQuestions(options, foundation, rooms)
  const stops: (() => void)[] = []
  return {
    inbox,
    agent,
    commands,
    chores,
    atOnce,
    inTime: (op) => doInTime(op, inTimeParts(foundation, rooms, requestStage)),
    seen,
    slash,
    driver,
    start() {
      const unfollow = followSettings(options, foundation, hooks)
      if (unfollow) stops.push(unfollow)
      // A run without a user ends with its turn; a member of a team goes on, and so may one that a program drives.
      if (options.manner.asks === "nobody" && !options.child?.member && !options.client) return
      // Deferred, because a kit may stir while it handles an entry that other kits have not seen yet.
      const wake = (): void => void Promise.resolve().then(driver.wake)
      stops.push(...requestStage.kits.flatMap((kit) => kit.stirs?.(wake) ?? []))
    },
    async close() {
      for (const stop of stops) stop()
      await hooks?.close()
      await titler?.close()
      await suggester?.close()
      for (const kit of requestStage.kits) await kit.close?.()
      await ground.workspace.close()
      await ground.walls.close()
    },
  }
}

/** Changed settings count at once, unless a hook objects. The result unsubscribes. */
function followSettings(
  { permissions }: SessionOptions,
  { rules, record }: Foundation,
  hooks: Rooms["hooks"],
): (() => void) | undefined {
  const closing = new AbortController()
  const unwatch = permissions.watch?.((written, changes = []) => {
    const follow = (): void => rules.follow(written).forEach(record)
    if (!hooks?.has("ConfigChange")) return follow()
    void hooks.configChanged(changes, closing.signal).then((no) => {
      if (closing.signal.aborted) return
      if (no === undefined) follow()
      else record({ kind: "notice", level: "info", text: `A hook keeps changed settings from counting here: ${no}` })
    })
  })
  return (
    unwatch &&
    (() => {
      closing.abort()
      unwatch()
    })
  )
}

const commandDeliveryParts = (options: SessionOptions, { extensions, hooks }: Rooms) => ({
  commands: extensions?.promptCommands,
  unknown: unknownCommands(options),
  guard: hooks?.beforeExpansion,
})

/** Programs send much that only looks like a command; a person mistyped it. */
const unknownCommands = ({ manner }: SessionOptions): "refused" | "text" =>
  manner.asks === "person" ? "refused" : "text"

const inTimeParts = (
  { ground, record }: Foundation,
  { mcp, own }: Rooms,
  { memory, isHidden }: RequestStage,
): InTimeParts => ({
  assignTask: own.team?.assign,
  servers: mcp,
  memory,
  background: ground.workspace.background,
  agents: own.agents?.crew,
  seed: openClientFiles({ ...ground, isHidden, record }).seed,
})

function answerQuestions(
  { ids, permissions, child }: SessionOptions,
  { onAsked, questions }: Foundation,
  { mcp }: Rooms,
): void {
  const { promptTool: name } = permissions
  if (child?.separate) return onAsked(child.separate.asked)
  if (name === undefined) return
  onAsked((question, signal) => {
    void answerByTool(question, { name, servers: mcp, ids }, signal).then(
      (said) => questions.answer(question.id, said, question.digest),
      (error: unknown) => questions.answer(question.id, { kind: "unanswered", why: mistakeWords(error) }),
    )
  })
}

/** The log is closed last, so that whatever ends during closing is still recorded. */
export async function closeAll(engine: Engine, { log, unlock }: Kept): Promise<void> {
  await engine.close()
  log?.close()
  unlock()
}

const see = (
  options: SessionOptions,
  { journal, ground, states, standing, stage, gates, questions, ledger, onSpentAside, record }: Foundation,
  rooms: Rooms,
  { context, contextDetails, memory, preparation, settled, isHidden }: RequestStage,
  { call }: Calls,
): EarlyAnswers =>
  openSeen({
    ...rooms,
    callServer: (asked, signal) => callServer(asked, { servers: rooms.mcp, call, ids: options.ids }, signal),
    state: states.answering,
    thinking() {
      const { model } = states.answering()
      return { model, chosen: states.logged().thinking, ...optional("ability", options.model.factsOf(model).thinks) }
    },
    async askBeside(question, signal) {
      const { openBeside } = await import("#session/request/side-question.ts")
      const size = (): number => preparation.meter.next().most
      const { port, factsOf: facts } = options.model
      return openBeside({ port, facts, ledger, onSpent: onSpentAside, ordinary: preparation.ordinary, size })(
        question,
        signal,
      )
    },
    questions: questions.open,
    gates: gates.states,
    goal: () => rooms.own.goal?.goal() ?? null,
    loop: () => rooms.own.loop?.loop() ?? null,
    stage: () =>
      stageOverview(stage.now(), options.id, standing.plan()?.isApproved ? rooms.own.plan.text() : undefined),
    completed: (decided) => completedIn(decided, options.id),
    feed: journal.feed,
    past: journal.past,
    hooks: () => describeHooks(rooms.hooks?.configuration(), journal.past),
    started: rooms.hooks?.started,
    sandbox: ground.sandbox,
    languageServers: rooms.lsp?.states,
    checkpoints: rooms.own.checkpoints,
    plan: rooms.own.plan,
    todos: standing.todos,
    workspace: ground.workspace,
    walls: rooms.own.walls,
    crew: rooms.own.agents?.crew,
    team: rooms.own.team,
    agentTypes: () =>
      (rooms.own.agents?.definitions() ?? []).map((definition) => ({
        ...definition,
        model: modelNameOf(options.model, definition),
      })),
    agentEntries: rooms.spawner.entriesOf,
    tools: () => [...settled(), ...rooms.joined(), ...(rooms.late?.handed.late?.() ?? [])].map(({ name }) => name),
    toolSpecs: () => settled().map(specOf),
    context,
    contextDetails: () => detailsOf(contextDetails(), rooms),
    rules: () =>
      rooms.own.grants.rules().map((rule) => ({ rule: ruleText(rule), behavior: rule.behavior, source: rule.source })),
    folders: () => [...ground.folders.added],
    readFile: openClientFiles({ ...ground, isHidden, record }).read,
    memory,
  })

function detailsOf({ tools, memory }: ContextDetails, { own }: Rooms): Answers["context_details"] {
  return {
    tools,
    memory: memory.map((path) => ({ path, tokens: estimateTokens(textFiles.read(path)?.text ?? "") })),
    agents: (own.agents?.definitions() ?? []).map(({ agentType, whenToUse, source }) => ({
      type: agentType,
      source,
      tokens: estimateTokens(`${agentType}: ${whenToUse}`),
    })),
  }
}

/** A command or an agent, whichever a call runs. */
const backgroundMover =
  ({ workspace }: Foundation["ground"], { agents }: Rooms["own"]) =>
  (callId?: string): boolean =>
    workspace.shell.moveToBackground(callId) || (agents?.crew.move(callId) ?? false)

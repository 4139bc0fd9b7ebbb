/** Opens a session in stages: the kept log, the foundation, the rooms, the request stage, the engine, and finally the port. See decision 43. */

import { optional } from "#lib/optional.ts"
import { later } from "#lib/later.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openCalls } from "#session/turn/calls.ts"
import { inherited, type ParentPorts } from "#session/opening/child.ts"
import { type RequestStage, openRequestStage } from "./request-stage.ts"
import { openOpHandler } from "#session/turn/op-handler.ts"
import { closeAll, type Engine, openEngine } from "./engine.ts"
import { type ConnectionLog, openConnectionLog, withConnectionLog } from "#session/opening/connections.ts"
import { withFolders } from "#session/opening/folders.ts"
import { withGates } from "#session/opening/gates.ts"
import { type Kept, type KeptFailure, openKept, unsavedWords } from "#session/journal/kept.ts"
import { begunBody, lastOpening, withPromptTool } from "#session/opening/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { type Ahead, openRooms, type Rooms } from "./rooms.ts"
import { followTrace, publishTraced, withTraceparent } from "#session/opening/trace.ts"
import { openRules } from "#session/opening/rules.ts"
import { openPort } from "#session/turn/port.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { HeldSession } from "#session/port/session.ts"
import { recallTexts } from "#session/adapters/seen-files.ts"
import { openFoundation, type Foundation } from "./foundation.ts"
import { outcomesOfCalls, wake } from "#session/turn/wake.ts"

export type OpenFailure = KeptFailure | { readonly kind: "schema"; readonly message: string }

export async function openSession(asked: SessionOptions): Promise<Result<HeldSession, OpenFailure>> {
  const wrong = await schemaProblem(asked)
  if (wrong !== undefined) return failed({ kind: "schema", message: wrong })
  const rules = openRules(asked.permissions.rules)
  const { version, cwd, pid } = asked.place
  const isCovered = asked.child !== undefined && asked.child.separate === undefined
  const kept = openKept({ ...asked, version, cwd, pid, isCovered })
  if (!kept.ok) return kept
  const { entries } = kept.value
  const journaled = later<Foundation["record"]>("The log")
  const connections = openConnectionLog((body) => void journaled.get()(body))
  const loggedOptions = withConnectionLog(asked, connections.record)
  const options = withTraceparent(
    withPromptTool(withGates(withFolders(loggedOptions, entries), entries), entries),
    entries,
  )

  const grounded = openFoundation(options, rules, kept.value)
  journaled.settle(grounded.record)
  const trace = followTrace(options, grounded.journal, connections.record)
  const foundation: Foundation = trace
    ? { ...grounded, trace, publish: publishTraced(trace, options.clock, grounded.publish) }
    : grounded
  const calls = openCalls(asked)
  const ahead: Ahead = {
    open: openSession,
    handedDown: later("What agents are handed down"),
    say: later("The handler of ops"),
    send: later("The handler of ops"),
  }
  const rooms = await openRooms(options, foundation, calls, ahead)
  const keepsMemory = options.memory?.session === true || options.memory?.notesFolder !== undefined
  const memoryRoom = keepsMemory ? await import("#session/adapters/session-memory.ts") : undefined
  const requestStage = openRequestStage(options, foundation, rooms, memoryRoom?.openMemoryKits)
  const layers = requestStage.kits.flatMap((kit) => kit.middleware ?? [])
  calls.seal(layers, requestStage.preparation.tools)
  ahead.handedDown.settle(handedDown(foundation, rooms, requestStage))
  const engine = openEngine(options, foundation, rooms, requestStage, calls)
  const begun = await begin(
    options,
    kept.value,
    { ...foundation, connections, say: ahead.say, send: ahead.send },
    rooms,
    requestStage,
    engine,
  )
  if (!begun.ok) await closeAll(engine, kept.value)
  return begun
}

async function schemaProblem({ outputSchema }: SessionOptions): Promise<string | undefined> {
  if (outputSchema === undefined) return undefined
  const read = (await import("#session/opening/output-schema.ts")).readOutputSchema(outputSchema)
  return read.ok ? undefined : read.failure
}

/** Replays and repairs the kept log; then whatever was running may continue. */
async function begin(
  options: SessionOptions,
  kept: Kept,
  foundation: Foundation & {
    readonly connections: ConnectionLog
    readonly say: Ahead["say"]
    readonly send: Ahead["send"]
  },
  rooms: Rooms,
  requestStage: RequestStage,
  engine: Engine,
): Promise<Result<HeldSession, OpenFailure>> {
  const { journal, record, lineage, states } = foundation
  const { entries } = kept
  const { agents, plan } = rooms.own
  journal.begin(entries)
  if (options.forkedFrom) plan.forked()
  const came = await outcomesOfCalls(entries, requestStage.kits)
  const woken = wake({ ...engine, ...foundation, options, entries, state: states.logged, came })
  const begun =
    lineage.prompts === "person" && !options.isTransient ? begunBody(options, lastOpening(entries)) : undefined
  if (begun) record(begun)
  const corrected = foundation.gates.corrected()
  if (corrected) record(corrected)
  for (const text of options.notices ?? []) record({ kind: "notice", level: "info", text })
  for (const text of options.warnings ?? []) record({ kind: "notice", level: "warning", text })
  if (lineage.messages) record(inherited(lineage.messages, lineage.added))
  const seat = options.log.kind === "resume" ? undefined : options.child?.member
  if (seat)
    record({ kind: "team", team: seat.team, name: seat.name, mailTo: seat.mailTo, ...(seat.plans && { plans: true }) })
  const closing = new AbortController()
  void recallTexts(foundation.ground.workspace, closing.signal)
  const unsaved = journal.failure()
  if (unsaved) return failed({ kind: "log", message: unsavedWords(unsaved) })
  const ops = openOpHandler({
    ids: options.ids,
    ...foundation,
    ...engine,
    ...optional("beforeModelSwitch", rooms.hooks?.beforeModelSwitch),
    guardsModel: () => rooms.hooks?.has("PreModelSwitch") === true,
    hasTasks: () => rooms.mcp?.hasTasks() === true,
    leaving: foundation.connections.settle,
    hurry(graceMs) {
      engine.agent.hurry(graceMs)
      agents?.crew.hurry(graceMs)
    },
    close() {
      closing.abort()
      return closeAll(engine, kept)
    },
  })
  foundation.say.settle((text) => void ops.say([{ type: "text", text }], "queue"))
  foundation.send.settle((text, promptId) => {
    void ops.run({ type: "prompt", content: [{ type: "text", text }], when: "queue", promptId })
  })
  if (!lineage.isWaiting) rooms.hooks?.begin(options.log.kind === "resume" ? "resume" : "startup")
  const fixed = aboutOf(options, foundation, rooms, [...kept.notes, ...woken.notes])
  rooms.mcp?.onChange(() => foundation.publish({ type: "servers_change" }))
  rooms.mcp?.start()
  if (options.goal?.check) engine.atOnce({ type: "set_goal", goal: options.goal.check })
  engine.start()
  rooms.own.team?.start()
  if (woken.unfinished) engine.driver.drive(woken.unfinished)
  void agents?.waitAgain(woken.agents)
  const modelNamed = (name: string): string => options.model.resolve?.(name) ?? name
  const about = (): SessionAbout => ({ ...fixed, agents: agents?.types() ?? [] })
  return ok(openPort({ id: options.id, about, ops, feed: journal.feed, ...engine, agents: agents?.crew, modelNamed }))
}

/** What a session shares with its agents; never more than the session has itself. */
const handedDown = (
  foundation: Foundation,
  { own, late, lsp, extensions }: Rooms,
  { setup }: RequestStage,
): ParentPorts => ({
  sessionId: foundation.lineage.sessionId,
  transcript: foundation.lineage.transcript(foundation.transcript),
  mode: foundation.states.forAgents,
  grants: own.grants,
  denials: foundation.lineage.denials(foundation.scope.denied),
  ask: foundation.questions.ask,
  ...(!foundation.lineage.hasFixedMode && { widen: foundation.widen }),
  update: own.update,
  ledger: foundation.ledger,
  overBudget: foundation.overBudget,
  warn: foundation.lineage.warn((text) => void foundation.record({ kind: "notice", level: "warning", text })),
  gates: own.gates.room,
  planSlug: () => own.plan.named().slug,
  shared: {
    asked: foundation.questions.asked,
    decided: foundation.questions.decided,
    isSealed: foundation.journal.isSealed,
    checkpoints: own.checkpoints,
    planWatch: foundation.lineage.planWatch(own.plan.watch),
    agentLimits: foundation.lineage.agentLimits,
    setups: foundation.lineage.setups,
    ...optional("commandFiles", extensions?.commands.catalog.files),
    ...optional("team", own.team),
    programKits: own.programKits,
    ...optional("late", late?.handed),
    ...optional("languageServers", lsp?.servers),
    beginning: setup.beginning,
  },
})

const aboutOf = (
  { place, permissions, plugins }: SessionOptions,
  { transcript, journal, rules, ground }: Foundation,
  { tools, hooks }: Rooms,
  notes: readonly string[],
): SessionAbout => ({
  cwd: place.cwd,
  tools: tools.map(({ name }) => name),
  ...optional("logPath", transcript),
  addedFolders: [...ground.folders.added],
  modeCycle: [
    "default",
    "acceptEdits",
    "plan",
    ...(permissions.withoutAuto ? [] : (["auto"] as const)),
    ...(permissions.bypassAvailable ? (["bypassPermissions"] as const) : []),
  ],
  bypassAvailable: permissions.bypassAvailable,
  ...optional("plugins", plugins),
  opened: journal.feed.last(),
  recent: journal.feed.recent(),
  notes: [...notes, ...rules.problems.flatMap(({ level, message }) => (level === "warning" ? [] : [message]))],
  fileNotes: [
    ...rules.problems.flatMap(({ level, message }) => (level === "warning" ? [message] : [])),
    ...(hooks?.configuration().problems ?? []),
  ],
})

/** The session's own kits, each given only what it needs. */

import { dirname } from "node:path"
import type { Kit } from "#agent/words/kit.ts"
import { isSmall } from "#agent/words/model.ts"
import type { Grant } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { askedPaths, writeAskedResult } from "#ground/transcript/asked-results.ts"
import { keepResult } from "#ground/transcript/keep.ts"
import { fingerprint } from "#ground/workspace/fingerprint.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { backgroundKit } from "#kits/background/kit.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { callLimitKit } from "#kits/budget/call-limit.ts"
import { writeAskedResults } from "#kits/compaction/asked-results.ts"
import { keptText } from "#kits/compaction/micro.ts"
import { boundResults } from "#kits/context/bound.ts"
import { changedFilesKit } from "#kits/context/changed-files.ts"
import { mostCharacters } from "#kits/context/small.ts"
import type { GatesKit } from "#kits/gates/kit.ts"
import type { GoalKit } from "#kits/goal/kit.ts"
import { type LoopKit, loopKit } from "#kits/loop/kit.ts"
import { delegateKit } from "#kits/permissions/delegate-told.ts"
import { type Grants, openGrants } from "#kits/permissions/grants.ts"
import type { Permissions } from "#kits/permissions/kit.ts"
import type { WallsPort } from "#kits/permissions/walls.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import { todoKit } from "#kits/todo/kit.ts"
import type { Crew } from "#kits/subagents/crew.ts"
import type { SubagentsKit } from "#kits/subagents/kit.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import type { BashSandbox } from "#kits/tools/bash-description.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import { optional } from "#lib/optional.ts"
import { later } from "#lib/later.ts"
import { addFolder } from "#session/adapters/add-folder.ts"
import { openGates } from "#session/adapters/gates.ts"
import { openGoal } from "#session/adapters/goal.ts"
import { openSubagents } from "#session/adapters/crew.ts"
import { openTeamKit, teamHooks } from "#session/adapters/team.ts"
import { recordIntent } from "#session/adapters/intent.ts"
import type { TeamKit } from "#session/opening/team.ts"
import type { UpdatePermissions } from "#session/opening/upward.ts"
import { saveGrant } from "#session/adapters/add-rule.ts"
import { openCommands } from "#session/adapters/shell-commands.ts"
import { openJudgedWalls } from "#session/adapters/judged-walls.ts"
import { traceKit } from "#session/opening/trace.ts"
import { answerRecorded } from "#session/adapters/recorded.ts"
import { saveBuffers } from "#session/adapters/save-buffers.ts"
import { keepSeen } from "#session/adapters/seen-files.ts"
import { openUndo } from "#session/adapters/undo.ts"
import type { Gathering } from "./gathering.ts"
import { openPermissions } from "./open-permissions.ts"
import { openPlan } from "./open-plan.ts"

/** The session's own kits, by name; `order.ts` has the order of their layers. */
export interface Gathered {
  readonly tools: Kit
  readonly changedFiles: Kit
  readonly background: Kit
  /** Absent where no agent may be started. */
  readonly agents: SubagentsKit | undefined
  /** Absent where the session can lead none. */
  readonly team: TeamKit | undefined
  readonly programKits: readonly Kit[]
  readonly plan: PlanKit
  readonly todo: Kit
  readonly ask: Kit
  readonly web: Kit
  readonly permissions: Permissions
  readonly walls: WallsPort
  readonly delegate: Kit
  readonly planWatch: Kit
  readonly gates: GatesKit
  /** Only the main agent has one. */
  readonly goal: GoalKit | undefined
  readonly loop: LoopKit | undefined
  /** Where an editor is connected. */
  readonly buffers: Kit | undefined
  readonly checkpoints: Checkpoints
  readonly trace: Kit | undefined
  readonly intent: Kit
  readonly recorded: Kit | undefined
  readonly bound: Kit
  readonly callLimit: Kit | undefined
  readonly seen: Kit
  readonly results: Kit
  readonly grants: Grants
  readonly update: UpdatePermissions
  readonly loadAhead: () => Promise<void>
}

export function gatherKits(parts: Gathering): Gathered {
  const { foundation, clock, ids, place } = parts
  const { lineage, ground, record, questions, askSmall, providerSearch, rules, journal } = foundation
  const { workspace, folders, sessionFolder } = ground
  const { sync, isSealed } = journal
  const analyzer = openCommandAnalyzer({ path: () => place.childEnv().PATH })
  const searchTool = webSearchTool({ clock, endpoint: parts.search, provider: providerSearch, offline: place.offline })
  const { agentLimits } = lineage
  const crew = later<Crew>("The crew")
  const team = lineage.team(() => openTeamKit(parts, crew.get))
  parts.child?.separate?.ready({ questions, hook: teamHooks(parts.hooks) })
  const agents = openSubagents({
    ...parts,
    agents: parts.agents,
    members: team?.members,
    lineage,
    ground,
    record,
    crew: { agentLimits, publish: foundation.publish, ...parts.spawner },
  })
  if (agents) crew.settle(agents.crew)
  const clarifying = later<() => string | undefined>("The gates")
  const plan = openPlan(parts, agents, () => clarifying.get()())
  const checkpoints = lineage.checkpoints(
    () => openUndo({ ...parts, lineage, ground, record, sync, isBusy: () => agents?.crew.isBusy() ?? false }),
    place.cwd,
  )
  const grants = lineage.grants(() =>
    openGrants({
      rules: rules.now,
      onRules: rules.onChange,
      isGone: rules.isGone,
      record,
      ...(!parts.permissions.managedOnly && { save: (grant: Grant) => saveGrant(grant, place) }),
    }),
  )
  const walls = openJudgedWalls(parts.sandbox?.values, ground.walls.check, ground.walls.isTried)
  const update = lineage.update(async (updates) => {
    const { openUpdates } = await import("#session/adapters/permission-updates.ts")
    return openUpdates({
      place,
      rules,
      grants,
      record,
      bypassAvailable: parts.permissions.bypassAvailable,
      addFolder: (path) => addFolder({ path }, { ...ground, place, cwd: foundation.states.logged().cwd, record }),
      isAdded: ground.isAllowedFolder,
    })(updates)
  })
  const judging = later<Permissions>("The permissions")
  const gates = openGates({
    ...parts,
    gates: foundation.gates.now,
    lineage,
    ground,
    record,
    ask: questions.ask,
    permissions: judging.get,
    recordPlanMode() {
      if (foundation.isHeld() && foundation.states.logged().mode !== "plan") record({ kind: "mode", mode: "plan" })
    },
    planFile: () => plan.plan()?.path,
  })
  const permissions = openPermissions(parts, {
    grants,
    plan,
    analyzer,
    walls,
    update,
    gates: gates.standing,
    checkpoints,
  })
  judging.settle(permissions)
  clarifying.settle(gates.unclear)
  ground.walls.askAboutHosts(permissions.askForHost)
  ground.walls.recordCalls(checkpoints.recording)
  const commands = openCommands({
    analyzer,
    workspace,
    place,
    folders,
    sessionFolder,
    onlyReads: lineage.onlyReads,
    checkpoints,
    permissions,
    walls: ground.walls,
    clock,
  })
  const background = backgroundKit({ background: workspace.background, clock, publish: foundation.publish })
  return {
    tools: {
      ...toolsKit({
        workspace,
        clock,
        ids,
        shows: parts.shows,
        bash: parts.shell,
        commands: { ...commands, sandbox: sandboxOf(parts) },
        ...optional("watch", isWoken(parts) ? background.watch : undefined),
      }),
      close: async () => commands.close(),
    },
    changedFiles: changedFilesKit({ ...workspace, clock }),
    background,
    agents,
    team,
    programKits: lineage.programKits(
      () => parts.programKits?.({ ...place, sessionId: lineage.sessionId, clock }) ?? [],
    ),
    plan,
    todo: todoKit({ record }),
    ask: {
      name: "ask",
      tools: [askUserTool({ ask: (ask, signal) => answeredFor(gates.kit, questions.ask(ask, signal)) })],
    },
    web: {
      name: "web",
      tools: [webFetchTool({ web: ground.web, clock, ask: askSmall }), ...(searchTool ? [searchTool] : [])],
    },
    permissions,
    walls,
    delegate: delegateKit({ mode: () => foundation.states.current().mode }),
    // Inside the permissions layer: only calls that may run are compared with the plan.
    planWatch: { name: "plan watch", middleware: lineage.planWatch(plan.watch) },
    gates: gates.kit,
    goal: goalOf(parts, agents),
    loop: loopOf(parts),
    buffers: workspace.buffered && saveBuffers(workspace.buffered),
    checkpoints,
    trace: foundation.trace && traceKit(foundation.trace),
    intent: { name: "intent", middleware: recordIntent({ record, sync, isSealed, fingerprint }) },
    recorded: parts.recorded && { name: "recorded", middleware: answerRecorded(parts.recorded) },
    seen: { name: "seen", middleware: keepSeen(workspace.stamps) },
    results: {
      name: "results",
      middleware: writeAskedResults((text) => {
        for (const path of askedPaths(text, dirname(dirname(sessionFolder)))) writeAskedResult(path, keptText)
      }),
    },
    bound: {
      name: "bound",
      middleware: boundResults(
        (callId, text) => keepResult(sessionFolder, callId, text),
        () => {
          const facts = parts.model.factsOf(foundation.states.answering().model)
          return isSmall(facts) ? mostCharacters(facts.window) : undefined
        },
      ),
    },
    callLimit: parts.limits.calls && callLimitKit(parts.limits.calls, lineage.depth === 0 ? "turns" : "calls"),
    grants,
    update,
    loadAhead: commands.loadAhead,
  }
}

function goalOf(parts: Gathering, agents: SubagentsKit | undefined): GoalKit | undefined {
  const { foundation, calls } = parts
  if (foundation.lineage.agent !== undefined) return undefined
  return openGoal({
    ...parts,
    ...foundation,
    ...calls,
    messages: foundation.conversation.messages,
    isWaiting: () => agents?.crew.list().some(({ fact }) => fact.state === "background") === true,
  })
}

/** Whether news start a turn; a run without a user ends with its answer, and so does an agent. */
const isWoken = ({ manner, client, child }: Gathering): boolean =>
  child ? child.member !== undefined : manner.asks !== "nobody" || client !== undefined

function loopOf(parts: Gathering): LoopKit | undefined {
  const { foundation } = parts
  if (foundation.lineage.agent !== undefined) return undefined
  return loopKit({
    ...parts,
    record: foundation.record,
    unable: isWoken(parts) ? undefined : "A loop needs a session that stays open, and this run ends with its answer.",
    isCopy: parts.forkedFrom !== undefined,
  })
}

/** Gates know whether anybody answered. */
async function answeredFor({ answered }: GatesKit, asking: Promise<Answer>): Promise<Answer> {
  const answer = await asking
  answered(answer)
  return answer
}

const sandboxOf = ({ sandbox }: Gathering): BashSandbox | undefined =>
  sandbox?.values.enabled ? { mayLeave: sandbox.values.allowUnsandboxedCommands !== false } : undefined

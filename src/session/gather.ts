/** The list of kits, in the order of their layers. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Grant } from "#agent/words/permission.ts"
import { ruleFile, saveRule } from "#ground/settings/save.ts"
import { keepResult } from "#ground/transcript/keep.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import type { SearchSource } from "#ground/web/search.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import { fingerprint } from "#ground/workspace/fingerprint.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { openShellSight } from "#ground/workspace/shell-sight.ts"
import { backgroundKit } from "#kits/background/kit.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { boundResults } from "#kits/context/bound.ts"
import { changedFilesKit } from "#kits/context/changed-files.ts"
import { openAuto } from "#kits/permissions/auto.ts"
import { type Grants, openGrants } from "#kits/permissions/grants.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import type { AskHook } from "#kits/permissions/by-hook.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import type { Workspace as JudgedWorkspace } from "#kits/permissions/paths.ts"
import type { PermissionRule } from "#kits/permissions/rule.ts"
import { wishClassifier } from "#kits/plan/classify-wish.ts"
import { plansFolder } from "#kits/plan/file.ts"
import { type PlanKit, planKit } from "#kits/plan/kit.ts"
import { todoKit } from "#kits/todo/kit.ts"
import type { CrewPorts } from "#kits/subagents/crew.ts"
import type { SubagentsKit } from "#kits/subagents/kit.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import { given } from "#lib/given.ts"
import { ok, type Result } from "#lib/result.ts"
import { checkpointsOf } from "./child.ts"
import { agentMode, agentWorkspace, childKits, openSubagents } from "./crew.ts"
import type { Ground } from "./ground.ts"
import { recordIntent } from "./intent.ts"
import type { SessionOptions } from "./options.ts"
import type { Questions } from "./questions.ts"
import { answerRecorded } from "./recorded.ts"
import type { Recorder } from "./recorder.ts"
import type { AskSmall } from "./small-model.ts"
import { openUndo } from "./undo.ts"
import type { SessionState } from "./state.ts"

export interface Gathering {
  readonly options: SessionOptions
  readonly ground: Ground
  readonly rules: () => readonly PermissionRule[]
  readonly recorder: Pick<Recorder, "sync"> & { readonly record: (body: EntryBody) => void }
  readonly questions: Questions
  readonly askSmall: AskSmall
  /** The provider's own search of the web, where it has one. */
  readonly providerSearch: SearchSource | undefined
  readonly state: () => SessionState
  /** Rules that the command of the turn brings along, as written. */
  readonly commandRules:
    { readonly allowed: () => readonly string[]; readonly denied: () => readonly string[] } | undefined
  /** Answers in place of the person, where a hook wants to. */
  readonly askHook: AskHook | undefined
  /** How agents are started. */
  readonly crew: Omit<CrewPorts, "record" | "clock" | "ids">
  /** Ends the turn and goes on with nothing but these words. */
  readonly startFresh: (text: string) => void
}

/** The kits, and those of them that the session itself asks for something. */
export interface Gathered {
  readonly kits: readonly Kit[]
  readonly plan: PlanKit
  readonly checkpoints: Checkpoints
  readonly grants: Grants
  /** Absent where no agent may be started. */
  readonly agents: SubagentsKit | undefined
}

export function gatherKits({
  options,
  ground,
  rules,
  recorder,
  questions,
  askSmall,
  providerSearch,
  state,
  askHook,
  commandRules,
  crew,
  startFresh,
}: Gathering): Gathered {
  const { place, clock, ids, child } = options
  const { workspace, sessionFolder, judged } = ground
  const { record, sync } = recorder
  const sight = openShellSight()
  const roots = [place.cwd, ...place.addedFolders, sessionFolder]
  const readsOnly = (command: string, cwd: string): readonly string[] | undefined =>
    sight.now()?.readsOnly(command, { cwd, home: place.home, roots, realPath })
  const searchTool = webSearchTool({ clock, endpoint: options.search, provider: providerSearch })

  const plan = planKit({
    agent: child ? { kind: "sub", id: child.agentId, slug: child.parent.planSlug } : { kind: "main" },
    mode: () => state().mode,
    record,
    ask: questions.ask,
    files: openPlanFiles({ ids }),
    folder: plansFolder({ ...place, root: place.cwd, setting: options.plan?.folder }),
    root: place.cwd,
    ids,
    modes: () => [
      "default",
      "acceptEdits",
      ...(options.permissions.bypassAvailable ? (["bypassPermissions"] as const) : []),
    ],
    canAsk: options.answerer !== "nobody",
    canGrant: !options.permissions.managedOnly,
    agents: () =>
      agents && hiddenTools(rules(), agents.tools ?? []).length === 0
        ? { explore: options.plan?.exploreAgents ?? 3, plan: options.plan?.planAgents ?? 1 }
        : undefined,
    enforce: options.plan?.enforce ?? "off",
    classify: wishClassifier({ ask: askSmall, clock }),
    startFresh,
  })

  const checkpoints = child
    ? checkpointsOf(child, place.cwd)
    : openUndo({ options, ground, record, sync, isBusy: () => agents?.crew.isBusy() ?? false })
  const save = (grant: Grant): Result<void, string> => saveGrant(grant, options)
  const grants =
    child?.parent.grants ?? openGrants({ rules, record, ...(!options.permissions.managedOnly && { save }) })
  const agents = openSubagents({ options, ground, record, crew })
  const kits: readonly Kit[] = [
    ...(child ? childKits(child) : []),
    toolsKit({ workspace, clock, ids, bash: options.shell, readsOnly }),
    changedFilesKit(workspace),
    backgroundKit({ background: workspace.background, clock }),
    ...(agents ? [agents] : []),
    plan,
    todoKit({ record }),
    { name: "ask", tools: [askUserTool({ ask: questions.ask })] },
    {
      name: "web",
      tools: [webFetchTool({ web: ground.web, clock, ask: askSmall }), ...(searchTool ? [searchTool] : [])],
    },
    permissionsKit({
      rules,
      grants,
      // An agent that only reads does so in every mode; what refuses is the same.
      mode: () => agentMode(options, state().mode),
      cwd: () => state().cwd,
      workspace: () =>
        child || options.playing?.onlyReads
          ? agentWorkspace(judged, options, plan)
          : withPlan(judged, plan.plan()?.path),
      ask: questions.ask,
      record,
      realPath,
      sight,
      auto: openAuto({ ask: askSmall, clock, record }),
      ...given("hook", askHook),
      ...given("commandRules", commandRules?.allowed),
      ...given("commandDenials", commandRules?.denied ?? child?.parent.denials),
      canAsk: () => options.answerer !== "nobody",
      ...(place.trusted && { countAtRisk: openRisks(ground, options) }),
    }),
    // Inside the permissions: only what may run is compared with the plan.
    { name: "plan watch", middleware: child?.parent.planWatch ?? plan.watch },
    checkpoints,
    { name: "intent", middleware: recordIntent({ record, sync, fingerprint }) },
    ...(options.recorded ? [{ name: "recorded", middleware: answerRecorded(options.recorded) }] : []),
    { name: "bound", middleware: boundResults((callId, text) => keepResult(sessionFolder, callId, text)) },
  ]
  return { kits, plan, checkpoints, grants, agents }
}

/** What a command would destroy is counted only when someone is about to be asked, and with git only in trusted folders. */
function openRisks({ workspace }: Ground, { clock, place }: SessionOptions): CountAtRisk {
  return async (part, signal) => {
    const [{ openAskGit }, { openCountAtRisk }] = await Promise.all([
      import("#ground/workspace/ask-git.ts"),
      import("#ground/workspace/at-risk.ts"),
    ])
    const git = openAskGit({ processes: workspace.processes, clock, env: place.childEnv })
    return openCountAtRisk({ git, clock })(part, signal)
  }
}

/** The plan belongs to the session, like what it keeps of results. */
const withPlan = (judged: JudgedWorkspace, planFile: string | undefined): JudgedWorkspace =>
  planFile === undefined ? judged : { ...judged, own: [...judged.own, planFile], planFile }

function saveGrant({ rule, destination }: Grant, { place }: SessionOptions): Result<void, string> {
  if (destination === "session") return ok(undefined)
  const file = ruleFile(destination, { root: place.cwd, state: place.stateFolder })
  const saved = saveRule({ file, behavior: "allow", rule })
  return saved.ok ? ok(undefined) : saved
}

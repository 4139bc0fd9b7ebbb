/** What a team needs from the session that leads it. */

import { builtinAgents } from "#kits/subagents/builtins.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import type { Crew } from "#kits/subagents/crew.ts"
import { optional } from "#lib/optional.ts"
import type { Ground } from "./ground.ts"
import type { SessionHooks } from "./hooks.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { States } from "#session/opening/states.ts"
import type { TeamHooks } from "#session/opening/team-hooks.ts"
import type { TeamPorts, TeamKit } from "#session/opening/team.ts"

export function openTeamKit(
  parts: Pick<SessionOptions, "team" | "place" | "agents" | "clock" | "ids"> & {
    readonly canAsk: boolean
    readonly foundation: {
      readonly questions: Pick<Questions, "ask">
      readonly states: Pick<States, "forAgents">
      readonly lineage: { readonly sessionId: string }
      readonly record: TeamKitPorts["record"]
      readonly publish: TeamKitPorts["publish"]
      readonly ground: Pick<Ground, "repository" | "workspace">
    }
    readonly spawner: SpawnPorts
    readonly where: Pick<TeamPorts, "leadPort" | "whyInProcess">
    readonly hooks: Pick<SessionHooks, "has" | "fire"> | undefined
  },
  crew: () => Crew,
): TeamKit | undefined {
  const { team, place, clock, ids, foundation, spawner, hooks } = parts
  return team?.({
    sessionId: foundation.lineage.sessionId,
    cwd: place.cwd,
    pid: place.pid,
    stateFolder: place.stateFolder,
    definitions: parts.agents ?? builtinAgents(),
    crew: {
      start: (ask) => crew().start(ask),
      stop: (agentId) => crew().stop(agentId),
      toBackground: (work) => crew().toBackground(work),
      working: (agentId) => crew().working(agentId),
      stateOf: (agentId) => crew().stateOf(agentId),
    },
    ...(parts.canAsk && { ask: foundation.questions.ask }),
    mode: foundation.states.forAgents,
    ...optional("git", gitOf(place, clock, foundation.ground)),
    noWorktree: spawner.noWorktree,
    pathOf: spawner.pathOf,
    entriesOf: spawner.entriesOf,
    record: foundation.record,
    publish: foundation.publish,
    hook: teamHooks(hooks),
    ...parts.where,
    clock,
    ids,
  })
}

export const teamHooks =
  (hooks: Pick<SessionHooks, "has" | "fire"> | undefined): TeamHooks =>
  (event) => {
    if (!hooks?.has(event)) return undefined
    return async (fields, signal) => {
      const fired = await hooks.fire({ event, fields }, signal)
      if (fired.stop !== undefined) return fired.stop
      return fired.verdict === "deny" ? (fired.reason ?? "It gave no reason.") : undefined
    }
  }

type TeamKitPorts = Parameters<NonNullable<SessionOptions["team"]>>[0]

/** Git is run only in folders that the user trusts. */
function gitOf(
  { trusted, childEnv }: SessionOptions["place"],
  clock: SessionOptions["clock"],
  { repository, workspace }: Pick<Ground, "repository" | "workspace">,
): TeamKitPorts["git"] {
  if (repository === undefined || trusted !== true) return undefined
  return { processes: workspace.processes, clock, env: childEnv, repository: repository.root }
}

/** The permissions of a session, over what it knows of its rules, its folders and its walls. */

import type { AtRiskParts, CountAtRisk } from "#ground/workspace/at-risk.ts"
import { openRealPaths } from "#ground/workspace/paths.ts"
import type { LazyCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { openAuto } from "#kits/permissions/auto.ts"
import type { GateStanding } from "#kits/permissions/gates.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { type Permissions, permissionsKit } from "#kits/permissions/kit.ts"
import type { WallsPort } from "#kits/permissions/walls.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import { optional } from "#lib/optional.ts"
import type { Ground } from "#session/adapters/ground.ts"
import type { UpdatePermissions } from "#session/opening/upward.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Gathering } from "./gathering.ts"

interface PermissionParts {
  readonly grants: Grants
  readonly plan: PlanKit
  readonly analyzer: LazyCommandAnalyzer
  readonly walls: WallsPort
  readonly update: UpdatePermissions
  readonly gates: () => GateStanding
  readonly checkpoints: Pick<Checkpoints, "relyOn" | "exclusions">
}

export function openPermissions(
  parts: Gathering,
  { grants, plan, analyzer, walls, update, gates, checkpoints }: PermissionParts,
): Permissions {
  const { foundation, clock, place, canAsk } = parts
  const { lineage, ground, record, questions, askSmall, rules, states, scope } = foundation
  return permissionsKit({
    rules: rules.now,
    grants,
    gates,
    // A read-only agent stays read-only in every mode; deny rules apply as usual.
    mode: () => lineage.effectiveMode(states.current().mode),
    cwd: () => states.logged().cwd,
    workspace: () => lineage.judged(ground.judged, plan),
    ask: questions.ask,
    record,
    realPaths: (parsed) => openRealPaths((path) => ground.workspace.places.declared(parsed, path)),
    analyzer,
    walls,
    uncovered: checkpoints.relyOn,
    exclusions: checkpoints.exclusions,
    ...(!parts.permissions.withoutAuto && {
      auto: openAuto({ ask: askSmall, cwd: () => states.logged().cwd, clock, record }),
    }),
    ...optional("hook", parts.askHook),
    ...optional("commandRules", parts.allowed),
    commandDenials: lineage.denials(scope.denied),
    ...optional("limits", lineage.limits),
    isShown: (callId) => canAsk || questions.asked(callId) !== undefined,
    widen: foundation.widen,
    hasFixedMode: lineage.hasFixedMode,
    addWords: foundation.addWords,
    update,
    ...(place.trusted && { countAtRisk: openRisks(ground, checkpoints, parts) }),
  })
}

/** What a command would destroy is counted only just before asking, and with git only in trusted folders. */
function openRisks(
  { workspace, folders, walls }: Ground,
  { exclusions }: Pick<Checkpoints, "exclusions">,
  { clock, place }: Pick<SessionOptions, "clock" | "place">,
): CountAtRisk {
  const undoes = { kept: "rewind", lost: "never", unknown: undefined } as const
  return async (part, signal) => {
    const [{ openAskGit }, { openCountAtRisk }, { wouldKeep }] = await Promise.all([
      import("#ground/workspace/git/ask-git.ts"),
      import("#ground/workspace/at-risk.ts"),
      import("#ground/snapshots/would-keep.ts"),
    ])
    const keeps: AtRiskParts["keeps"] = async (paths, until) =>
      undoes[
        await wouldKeep(paths, {
          roots: folders.all(),
          exclusions: exclusions.map(({ path }) => path),
          clock,
          signal: until,
          ...((await walls.canRecord(part.argv.join(" "))) && { recorded: place }),
        })
      ]
    const git = openAskGit({ processes: workspace.processes, clock, env: place.childEnv })
    return openCountAtRisk({ git, clock, keeps })(part, signal)
  }
}

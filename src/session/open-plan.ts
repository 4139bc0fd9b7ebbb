/** The plan of a session: what it may ask, where it is kept, and what follows its approval. */

import type { Kit } from "#agent/words/kit.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import { wishClassifier } from "#kits/plan/classify-wish.ts"
import { plansFolder } from "#kits/plan/file.ts"
import { type PlanKit, planKit } from "#kits/plan/kit.ts"
import { shortPath } from "#lib/tilde.ts"
import { optional } from "#lib/optional.ts"
import { isOffered } from "#session/opening/offered.ts"
import type { Gathering } from "./gathering.ts"

export function openPlan(
  { foundation, permissions, place, plan, tools, clock, ids, canAsk }: Gathering,
  agents: Kit | undefined,
  notYet: () => string | undefined,
): PlanKit {
  const { lineage, record, questions, askSmall, rules, states, turns } = foundation
  return planKit({
    agent: lineage.planner,
    mode: () => states.current().mode,
    record,
    ask: questions.ask,
    decided: questions.decided,
    notYet,
    files: openPlanFiles({ ids }),
    folder: plansFolder({ ...place, root: place.cwd, setting: plan?.folder }),
    root: place.cwd,
    shown: (path) => shortPath(path, place),
    ids,
    modes: () => ["default", "acceptEdits", ...(permissions.bypassAvailable ? (["bypassPermissions"] as const) : [])],
    canAsk,
    canGrant: !permissions.managedOnly,
    agents: () =>
      agents?.tools?.every((tool) => isOffered(tools, tool)) && hiddenTools(rules.now(), agents.tools).length === 0
        ? { explore: plan?.exploreAgents ?? 3, plan: plan?.planAgents ?? 1 }
        : undefined,
    enforce: plan?.enforce ?? "off",
    ...optional("instructions", plan?.instructions),
    classify: wishClassifier({ ask: askSmall, clock }),
    addWords: foundation.addWords,
    startFresh: (text) =>
      turns.startFresh(`Carry out this plan, which I approved. Begin with your list of work.\n\n${text}`),
  })
}

/** The side requests of a session, and the one ledger that pays for everything. */

import type { Budget } from "#agent/words/budget.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { SearchSource } from "#ground/web/search.ts"
import { type Ledger, openLedger } from "#kits/budget/ledger.ts"
import type { MemberHosts } from "#session/opening/member-port.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { ModelChoice } from "#session/opening/options.ts"
import { openProviderSearch } from "#session/request/provider-search.ts"
import type { SideParts, SideSpent } from "#session/request/side-request.ts"
import { type AskSmall, openSmallModel } from "#session/request/small-model.ts"
import type { SessionState } from "#agent/words/state.ts"
import { spentAside, spentWith } from "#session/journal/state.ts"

export interface Aside {
  readonly ledger: Ledger
  readonly askSmall: AskSmall
  readonly providerSearch: SearchSource | undefined
  /** For what agents and members spend, who have logs of their own. */
  readonly onSpent: (spent: SideSpent) => void
  /** For requests of this session outside its conversation. */
  readonly onSpentAside: (spent: SideSpent) => void
}

export function openAside({
  model: choice,
  lineage,
  record,
  state,
  members,
}: {
  readonly model: ModelChoice
  readonly lineage: Pick<Lineage, "ledger">
  readonly record: (body: EntryBody) => void
  readonly state: () => SessionState
  /** Where the budget is shared with sessions of other machines. */
  readonly members?: MemberHosts
}): Aside {
  const budget = (): Budget => state().budget
  const ledger = lineage.ledger(() =>
    openLedger({ prices: choice.prices, budget, shared: members?.sessions?.share(budget) }),
  )
  const onSpent = (spent: SideSpent): void => record(spentWith(state(), { costUsd: 0, ...spent }))
  const onSpentAside = (spent: SideSpent): void => record(spentAside(state(), { costUsd: 0, ...spent }))
  const side: SideParts = { port: choice.port, ledger, onSpent: onSpentAside }
  return {
    ledger,
    onSpent,
    onSpentAside,
    askSmall: openSmallModel({ ...side, model: choice.small }),
    providerSearch: openProviderSearch({ ...side, models: [choice.small, choice.id] }),
  }
}

/** What sessions cost and how many there were, by the day and by who, where or which model. Pure. */

import type { SessionUsage } from "#fleet/store/lists.ts"
import type { Usage, UsageKind } from "./page/contract-lists.ts"
import { placeName } from "./page/words.ts"

const dayMs = 86_400_000
/** More cannot be told apart in a chart. */
const mostShares = 7

export function usageOf(sessions: readonly SessionUsage[], kind: UsageKind, days: number, now: number): Usage {
  const names = Array.from({ length: days }, (_, nth) => dayOf(now - (days - 1 - nth) * dayMs))
  const place = new Map(names.map((day, nth) => [day, nth]))
  const shares = new Map<string, { costs: number[]; counts: number[] }>()
  const zeros = (): number[] => names.map(() => 0)
  for (const session of sessions) {
    const nth = place.get(dayOf(session.at))
    if (nth === undefined) continue
    const name = nameOf(session, kind)
    const share = shares.get(name) ?? { costs: zeros(), counts: zeros() }
    shares.set(name, share)
    share.costs[nth] = (share.costs[nth] ?? 0) + session.costUsd
    share.counts[nth] = (share.counts[nth] ?? 0) + 1
  }
  const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0)
  const ranked = [...shares]
    .map(([name, { costs, counts }]) => ({ name, costs, counts, costUsd: sum(costs), sessions: sum(counts) }))
    .toSorted((a, b) => b.costUsd - a.costUsd || b.sessions - a.sessions || (a.name < b.name ? -1 : 1))
  const [first, rest] = [ranked.slice(0, mostShares), ranked.slice(mostShares)]
  if (rest.length === 0) return { days: names, shares: first }
  const other = {
    name: `${rest.length} others`,
    costUsd: sum(rest.map(({ costUsd }) => costUsd)),
    sessions: sum(rest.map(({ sessions: count }) => count)),
    costs: names.map((_, nth) => sum(rest.map(({ costs }) => costs[nth] ?? 0))),
    counts: names.map((_, nth) => sum(rest.map(({ counts }) => counts[nth] ?? 0))),
  }
  return { days: names, shares: [...first, other] }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

function nameOf({ by, model, workspace }: SessionUsage, kind: UsageKind): string {
  switch (kind) {
    case "person":
      return by
    case "model":
      return model === "" ? "not chosen yet" : model
    case "repository":
      return "git" in workspace ? placeName({ git: { url: workspace.git.url } }) : placeName(workspace)
  }
}

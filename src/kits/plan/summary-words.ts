/** The result of a plan, in one line for the user. */

import type { PlanItem } from "./contract.ts"
import type { PlanSummary } from "./progress.ts"

const mostNamed = 8

export function summaryWords({ done, skipped, added }: PlanSummary): string {
  const parts = [...part("done", done), ...part("skipped", skipped), ...part("added", added)]
  return parts.length === 0 ? "" : `Plan: ${parts.join(" · ")}`
}

function part(what: string, items: readonly PlanItem[]): readonly string[] {
  if (items.length === 0) return []
  const names = items.slice(0, mostNamed).map(({ name }) => name)
  const more = items.length - names.length
  return [`${items.length} ${what} (${names.join(", ")}${more > 0 ? ` and ${more} more` : ""})`]
}

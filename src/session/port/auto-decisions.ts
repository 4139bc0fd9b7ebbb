/** What auto mode decided in place of the user, from the log. */

import type { Entry } from "#agent/words/entry.ts"
import { isByAuto } from "#agent/words/permission.ts"
import type { AutoDecision } from "./query.ts"

/** Each call once: one that is begun again after a resume is decided again. */
export function autoDecisions(entries: readonly Entry[]): readonly AutoDecision[] {
  const titles = new Map<string, string>()
  const decided = new Map<string, AutoDecision>()
  for (const entry of entries) {
    if (entry.kind === "verdict") titles.set(entry.callId, entry.title ?? entry.tool)
    if (entry.kind !== "decision" || !isByAuto(entry.reason)) continue
    const { callId, at, behavior, reason, tool, message } = entry
    const why = reason.kind === "classifier" ? reason.why : message
    const outcome = behavior === "allow" ? "allowed" : "blocked"
    decided.set(callId, { callId, at, title: titles.get(callId) ?? tool, outcome, why })
  }
  return [...decided.values()]
}

/** What auto mode let through in a turn, said once at its end: while it works, it is there not to interrupt. */

import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import type { View } from "./view.ts"

export const allowedByAuto = (view: View, callId: string): View =>
  view.working ? { ...view, working: { ...view.working, auto: [...view.working.auto, callId] } } : view

const mostNamed = 3

/** Undefined if it allowed nothing. */
export function autoWords({ items, working }: View): string | undefined {
  const calls = new Set(working?.auto)
  if (calls.size === 0) return undefined
  const titles = items.flatMap((item) =>
    item.kind === "call" && calls.has(item.callId) ? [firstLine(item.title)] : [],
  )
  const named = titles.length === 0 ? "" : `: ${titles.slice(0, mostNamed).join(", ")}`
  const more = calls.size > mostNamed ? ` and ${calls.size - mostNamed} more` : ""
  return `Auto mode allowed ${counted(calls.size, "call")}${named}${more} · /permissions to see why`
}

/** What auto mode let through in a turn, said once at its end: while it works, it is there not to interrupt. */

import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import type { View } from "./view.ts"

/** By title, because the item of a call may be gone at the end of a long turn. */
export function allowedByAuto(view: View, callId: string): View {
  const { items, working } = view
  if (!working) return view
  const call = items.findLast((item) => item.kind === "call" && item.callId === callId)
  const title = call?.kind === "call" ? firstLine(call.title) : ""
  return { ...view, working: { ...working, auto: [...working.auto, title] } }
}

const mostNamed = 3

/** Undefined if it allowed nothing. */
export function autoWords({ working }: View): string | undefined {
  const { auto = [] } = working ?? {}
  if (auto.length === 0) return undefined
  const named = auto.filter(Boolean).slice(0, mostNamed).join(", ")
  const more = auto.length > mostNamed ? ` and ${auto.length - mostNamed} more` : ""
  return `Auto mode allowed ${counted(auto.length, "call")}${named === "" ? "" : `: ${named}${more}`} · /permissions to see why`
}

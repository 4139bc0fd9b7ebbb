/** Calls in a view: made, running, answered. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import type { CallItem } from "./item.ts"
import type { View } from "./view.ts"

const mostTail = 4000
const mostTitle = 200

/** A call that the model has made and that waits for its turn. */
export function callMade(view: View, { id, name, input }: ToolUseBlock): View {
  const first = Object.values(input).find((value) => typeof value === "string") ?? ""
  const call: CallItem = {
    kind: "call",
    callId: id,
    tool: name,
    // What the tool itself calls it comes when it starts.
    title: `${name} ${first.split("\n", 1)[0] ?? ""}`.trim().slice(0, mostTitle),
    state: "waiting",
    tail: "",
    totalBytes: 0,
    elapsedMs: 0,
    result: undefined,
  }
  return { ...view, items: [...view.items, call] }
}

/** A call with what came of it. */
export function callResult(view: View, entry: Entry & { kind: "result" }): View {
  return changeCall(view, entry.callId, (call) => ({
    ...call,
    state: entry.denied ? "denied" : entry.isError ? "failed" : "done",
    elapsedMs: entry.durationMs,
    tail: "",
    totalBytes: 0,
    result: { text: textOf(entry.content), display: entry.display },
  }))
}

/** Replaces one call; what is not known is left as it is. */
export function changeCall(view: View, callId: string, change: (call: CallItem) => CallItem): View {
  const at = view.items.findIndex((item) => item.kind === "call" && item.callId === callId)
  const call = view.items[at]
  if (call?.kind !== "call") return view
  return { ...view, items: view.items.with(at, change(call)) }
}

/** The end of what a call prints, which is all that is shown while it runs. */
export const tailOf = (text: string): string => (text.length > mostTail ? text.slice(-mostTail) : text)

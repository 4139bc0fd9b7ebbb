/** Calls in a view: being written, made, running, answered. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import { plainTitle } from "#agent/words/title.ts"
import { optional } from "#lib/optional.ts"
import { emptyDraft, moreInput } from "./input-draft.ts"
import type { CallItem, Item } from "./item.ts"
import type { View } from "./view.ts"

const mostTail = 4000

export function callBegun(view: View, index: number, { id, name }: ToolUseBlock): View {
  const call: CallItem = { ...plainCall(view, id, name), title: name, state: "writing", draft: emptyDraft(index) }
  return { ...view, items: [...view.items, call] }
}

export function callWritten(view: View, index: number, json: string): View {
  const at = view.items.findLastIndex((item) => item.kind === "call" && item.draft?.index === index)
  const call = view.items[at]
  if (call?.kind !== "call" || call.draft === undefined) return view
  const draft = moreInput(call.draft, json)
  const title = draft.subject === undefined ? call.title : plainTitle({ name: call.tool, input: { _: draft.subject } })
  return { ...view, items: view.items.with(at, { ...call, title, draft }) }
}

export function callMade(view: View, use: ToolUseBlock): View {
  // What the tool itself calls it comes when it starts.
  const call: CallItem = { ...plainCall(view, use.id, use.name), title: plainTitle(use) }
  const at = indexOf(view.items, use.id)
  return { ...view, items: at === -1 ? [...view.items, call] : view.items.with(at, call) }
}

/** A tool that gathered before will do so again, so its calls join the run from the first moment. */
function plainCall({ items }: View, callId: string, tool: string): CallItem {
  const before = items.findLast((item) => item.kind === "call" && item.tool === tool)
  return {
    kind: "call",
    callId,
    tool,
    title: "",
    state: "waiting",
    tail: "",
    totalBytes: 0,
    elapsedMs: 0,
    result: undefined,
    ...optional("gathers", before?.kind === "call" ? before.gathers : undefined),
  }
}

export function callResult(view: View, entry: Entry & { kind: "result" }): View {
  const { display } = entry
  const isPlan = display?.kind === "diff" && display.path === view.planPath
  return changeCall(view, entry.callId, (call) => ({
    ...call,
    ...optional("title", entry.title),
    ...optional("gathers", entry.gathers),
    ...(isPlan && { isPlan }),
    state: isRefused(call, entry) ? "denied" : entry.isError ? "failed" : "done",
    elapsedMs: entry.durationMs,
    tail: "",
    totalBytes: 0,
    result: { text: textOf(entry.content), display },
  }))
}

/** If only a part was refused and the call ran, its output is shown. */
const isRefused = ({ refusal }: CallItem, { denied, isError, display }: Entry & { kind: "result" }): boolean =>
  denied !== undefined || (refusal !== undefined && isError && display === undefined)

export function changeCall(view: View, callId: string, change: (call: CallItem) => CallItem): View {
  const at = indexOf(view.items, callId)
  const call = view.items[at]
  if (call?.kind !== "call") return view
  return { ...view, items: view.items.with(at, change(call)) }
}

const indexOf = (items: readonly Item[], callId: string): number =>
  items.findIndex((item) => item.kind === "call" && item.callId === callId)

/** All that is shown while it runs. */
export const tailOf = (text: string): string => (text.length > mostTail ? text.slice(-mostTail) : text)

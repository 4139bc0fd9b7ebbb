/**
 * The calls of one answer in the model's order: each is queued, executing, completed, told. A line is an immutable
 * value.
 */

import type { Lane } from "./lanes.ts"
import type { ToolUseBlock } from "./words/message.ts"
import type { CallHead } from "./words/title.ts"
import type { ContextChange, Outcome } from "./words/tool.ts"

export type Slot =
  | { readonly state: "queued"; readonly use: ToolUseBlock; readonly unreadable?: string }
  | { readonly state: "executing"; readonly use: ToolUseBlock; readonly lane: Lane; readonly startedAt: number }
  | (Finished & { readonly state: "completed" })
  | (Finished & { readonly state: "told" })

export interface Finished {
  readonly use: ToolUseBlock
  readonly outcome: Outcome
  /** Absent if it never reached its tool. */
  readonly head?: CallHead
  readonly durationMs: number
}

export interface Line {
  readonly slots: readonly Slot[]
  /** A call that acts failed, so later calls do not start. */
  readonly failed: boolean
  /** How many slots have had their context changes applied. */
  readonly changed: number
}

export const emptyLine: Line = { slots: [], failed: false, changed: 0 }

export const queue = (line: Line, use: ToolUseBlock, unreadable?: string): Line => ({
  ...line,
  slots: [...line.slots, { state: "queued", use, ...(unreadable !== undefined && { unreadable }) }],
})

export const start = (line: Line, at: number, lane: Lane, now: number): Line =>
  put(line, at, (use) => ({ state: "executing", use, lane, startedAt: now }))

/** Takes a slot that was executing, or that was refused and never started. */
export function complete(
  line: Line,
  at: number,
  outcome: Outcome,
  now: number,
  head?: CallHead,
  failure: "stops others" | "stands alone" = "stops others",
): Line {
  const slot = line.slots[at]
  const ran = slot?.state === "executing" ? slot : undefined
  const durationMs = ran ? now - ran.startedAt : 0
  const failed = line.failed || (outcome.isError && ran?.lane === "alone" && failure === "stops others")
  return {
    ...put(line, at, (use) => ({ state: "completed", use, outcome, ...(head && { head }), durationMs })),
    failed,
  }
}

/** The results that can be recorded now: those with nothing unfinished before them. */
export function recordable(line: Line): { readonly line: Line; readonly due: readonly Finished[] } {
  const due: Finished[] = []
  let isHeldUp = false
  const slots = line.slots.map((slot): Slot => {
    isHeldUp ||= slot.state === "queued" || slot.state === "executing"
    if (isHeldUp || slot.state !== "completed") return slot
    due.push(slot)
    return { ...slot, state: "told" }
  })
  return { line: { ...line, slots }, due }
}

/** The context changes of a group, in order, once nothing in it is executing. */
export function change(line: Line): { readonly line: Line; readonly due: readonly ContextChange[] } {
  const { slots, changed } = line
  if (slots.some(({ state }) => state === "executing")) return { line, due: [] }
  const over = slots.findIndex(({ state }) => state === "queued")
  const group = slots.slice(changed, over === -1 ? slots.length : over)
  const due = group.flatMap((slot) => ("outcome" in slot ? (slot.outcome.change ?? []) : []))
  return { line: { ...line, changed: changed + group.length }, due }
}

/** -1 when none is waiting. */
export const nextIn = ({ slots }: Line): number => slots.findIndex(({ state }) => state === "queued")

export const lanesIn = ({ slots }: Line): readonly Lane[] =>
  slots.flatMap((slot) => (slot.state === "executing" ? [slot.lane] : []))

export const isTold = ({ slots }: Line): boolean => slots.every(({ state }) => state === "told")

export const recordedIn = ({ slots }: Line): readonly Finished[] =>
  slots.flatMap((slot) => (slot.state === "told" ? [slot] : []))

function put(line: Line, at: number, made: (use: ToolUseBlock) => Slot): Line {
  const slot = line.slots[at]
  return slot ? { ...line, slots: line.slots.with(at, made(slot.use)) } : line
}

/** A command of the user's own in a view: it looks like a call. */

import type { Entry } from "#agent/words/entry.ts"
import type { CallItem } from "./item.ts"
import type { View } from "./view.ts"

/** In place of a tool name. */
export const ownCommand = "!"

/** Its output arrives as progress. */
export function ownBegun(view: View, { callId, title }: Entry & { kind: "intent" }): View {
  return { ...view, items: [...ownEnded(view).items, { ...plainCall, callId, title, state: "running" }] }
}

export const ownEnded = (view: View): View =>
  view.items.some(isRunning) ? { ...view, items: view.items.filter((item) => !isRunning(item)) } : view

export function ownRan(view: View, { uuid, command, output, exitCode }: Entry & { kind: "shell" }): View {
  const display = { kind: "terminal", command, output: endedOutput(output, exitCode), exitCode } as const
  const state = exitCode === 0 ? "done" : "failed"
  const call: CallItem = { ...plainCall, callId: uuid, title: command, state, result: { text: output, display } }
  return { ...view, items: [...ownEnded(view).items, call] }
}

const plainCall = {
  kind: "call",
  tool: ownCommand,
  tail: "",
  totalBytes: 0,
  elapsedMs: 0,
  result: undefined,
} as const

const isRunning = (item: View["items"][number]): boolean =>
  item.kind === "call" && item.tool === ownCommand && item.state === "running"

/** A command that was interrupted or timed out has no exit code. */
const endedOutput = (output: string, exitCode: number | null): string =>
  exitCode === null ? `${output.trimEnd()}\n(stopped before the command finished)`.trimStart() : output

/** Runs one call through all middleware down to its tool. Whatever the tool does, the call has an outcome. */

import { deferred } from "#lib/deferred.ts"
import { isObject } from "#lib/json.ts"
import type { Agent } from "./agent.ts"
import type { Runnable } from "./plan-call.ts"
import type { ToolUseBlock } from "./words/message.ts"
import type { CallHead } from "./words/title.ts"
import { type AnyTool, type Complaint, complained, type Outcome, refused } from "./words/tool.ts"

export interface CallRun extends Runnable {
  readonly use: ToolUseBlock
  readonly head: CallHead
  readonly signal: AbortSignal
  readonly ended: () => Outcome
  /** False once its outcome has been reported. */
  readonly isExecuting: () => boolean
}

/** After an abort the call gets a grace period to end by itself, then it is answered without it. */
export async function runWithGrace(agent: Agent, run: CallRun): Promise<Outcome> {
  const gaveUp = deferred<Outcome>()
  let cancelTimer = (): void => {}
  const onAbort = (): void => {
    const ended = run.ended()
    cancelTimer = agent.clock.after(agent.limits.graceMs, () => gaveUp.resolve(ended))
  }
  run.signal.addEventListener("abort", onAbort)
  const outcome = await Promise.race([runCall(agent, run), gaveUp.promise])
  run.signal.removeEventListener("abort", onAbort)
  cancelTimer()
  return outcome
}

async function runCall(agent: Agent, run: CallRun): Promise<Outcome> {
  const { use, tool, input, parsed, footprint, signal } = run
  const callId = use.id
  try {
    const complaint = await tool.validate?.(parsed, signal)
    if (signal.aborted) return run.ended()
    if (complaint === undefined)
      agent.publish({
        type: "tool_start",
        callId,
        tool: tool.name,
        ...run.head,
        ...(tool.movable && { movable: true }),
      })
    // Layers go first: a call that is forbidden anyway must not be tried again with a better input.
    const outcome = await agent.call({
      callId,
      signal,
      tool: complaint === undefined ? tool : refusing(tool, complaint),
      input,
      parsed,
      footprint,
      ...(complaint !== undefined && { complaint }),
      progress: (progress) => {
        if (run.isExecuting()) agent.publish({ type: "tool_progress", callId, progress })
      },
    })
    return isOutcome(outcome) ? outcome : refused(`${tool.name} gave something that is not a result. It may have run.`)
  } catch (error) {
    // Tools may end by throwing when they are aborted; that is not a failure.
    if (signal.aborted) return run.ended()
    return refused(`${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export function headOf({ tool, parsed }: Runnable, use: ToolUseBlock): CallHead {
  return { title: titleOf(tool, parsed, use), ...(tool.gathers && { gathers: tool.gathers }) }
}

function titleOf(tool: AnyTool, parsed: unknown, use: ToolUseBlock): string {
  try {
    return tool.title(parsed)
  } catch {
    return use.name
  }
}

/** The same tool, except that running it returns the complaint. */
function refusing(tool: AnyTool, complaint: string | Complaint): AnyTool {
  const run: AnyTool["run"] = async () => complained(complaint)
  return Object.create(tool, { run: { value: run } })
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== "object" || value === null) return false
  const { content, isError, data, display } = value as Partial<Outcome>
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isBlock))
  return typeof isError === "boolean" && isContent && isPlain(data) && isPlain(display)
}

/** Whether the log can store it. Looked through rather than written for a try, since it may contain whole files. */
function isPlain(value: unknown): boolean {
  try {
    return isTree(value, [])
  } catch {
    // It has an accessor that throws, or is deeper than anything can be written.
    return false
  }
}

function isTree(value: unknown, around: object[]): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint"
  if (around.includes(value)) return false
  if ("toJSON" in value) return JSON.stringify(value) !== undefined
  around.push(value)
  for (const inner of Object.values(value)) if (!isTree(inner, around)) return false
  around.pop()
  return true
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.type === "tool_reference") return typeof value.tool_name === "string"
  return value.type === "text"
    ? typeof value.text === "string"
    : (value.type === "image" || value.type === "document") && isObject(value.source)
}

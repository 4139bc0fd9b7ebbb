/** The outermost layer around every call: hooks can deny it, change it or allow it, and learn its result. */

import type { EntryBody } from "#agent/words/entry.ts"
import { isSafe } from "#agent/words/footprint.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import { type ResultContent, textOf } from "#agent/words/message.ts"
import { type Call, type Middleware, withInput } from "#agent/words/middleware.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import type { Clock } from "#lib/clock.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { Dispatcher, Fired } from "./dispatch.ts"
import { openLanes } from "./lanes.ts"
import { toolMoment } from "./moments.ts"
import { contextWords, deniedWords, objectedWords } from "./words.ts"

export interface LayerPorts extends Dispatcher {
  readonly record: (body: Extract<EntryBody, { readonly kind: "decision" }>) => void
  readonly addContext: (text: string) => void
  readonly stop: (why: string) => void
  readonly clock: Clock
}

export function hookLayer(ports: LayerPorts): Middleware {
  const { clock } = ports
  const inLane = openLanes()
  return async (called, next) => {
    // Hooks are not run for a call that is going to fail anyway.
    if (called.complaint !== undefined) return next(called)
    const before = await beforeCall(ports, called)
    if ("isError" in before) return before
    const startedAt = clock.now()
    // It could run in parallel because it only read; the changed call must run alone.
    const isOther = isSafe(called.footprint) && !isSafe(before.footprint)
    const outcome = await inLane(isOther ? "alone" : "beside", () => next(before))
    const isOver = before.signal.aborted || (before.complaint !== undefined && !outcome.denied)
    return isOver ? outcome : afterCall(ports, before, outcome, clock.now() - startedAt)
  }
}

async function beforeCall(ports: LayerPorts, call: Call): Promise<Call | Outcome> {
  if (!ports.has("PreToolUse")) return call
  const fired = await ports.fire(toolMoment("PreToolUse", call), call.signal)
  if (call.signal.aborted) return interrupted(interruptedWords(call.signal), "before")
  for (const context of fired.contexts) ports.addContext(contextWords("PreToolUse", context))
  if (fired.stop !== undefined) ports.stop(fired.stop)
  if (fired.verdict === "deny") return deny(ports, call, fired)
  if (fired.stop !== undefined) return refused(notRunWords)
  const changed = fired.updatedInput === undefined ? call : await withInput(call, fired.updatedInput, "a hook")
  if ("isError" in changed) return changed
  const { verdict, by, reason } = fired
  if (verdict === undefined) return changed
  const name = by ?? "a hook"
  if (verdict !== "defer") return { ...changed, hook: { behavior: verdict, name, ...optional("reason", reason) } }
  return { ...changed, hook: { behavior: "ask", name, ...optional("reason", reason), defers: true } }
}

function deny(ports: LayerPorts, { callId, tool }: Call, { by = "a hook", reason }: Fired): Outcome {
  const message = reason ?? "It gave no reason."
  ports.record({
    kind: "decision",
    callId,
    tool: tool.name,
    behavior: "deny",
    reason: { kind: "hook", name: by },
    message,
  })
  return refused(deniedWords(tool.name, message), { denied: true })
}

async function afterCall(ports: LayerPorts, call: Call, outcome: Outcome, ms: number): Promise<Outcome> {
  const event = outcome.denied ? "PermissionDenied" : outcome.isError ? "PostToolUseFailure" : "PostToolUse"
  if (!ports.has(event)) return outcome
  const text = textOf(outcome.content)
  const fields: JsonObject =
    event === "PostToolUse"
      ? { tool_response: responseOf(outcome), duration_ms: ms }
      : event === "PermissionDenied"
        ? { reason: text }
        : { error: text, is_interrupt: call.signal.aborted, duration_ms: ms }
  const fired = await ports.fire(toolMoment(event, call, fields), call.signal)
  if (fired.stop !== undefined) ports.stop(fired.stop)
  if (fired.verdict === "deny")
    ports.addContext(objectedWords(call.tool.name, fired.by ?? "a hook", fired.reason ?? "It gave no reason."))
  for (const context of fired.contexts) ports.addContext(contextWords(event, context))
  if (fired.updatedOutput === undefined) return outcome
  // A hook that removes something from a result wants it removed from every form of it.
  const { display: _display, data: _data, ...rest } = outcome
  return { ...rest, content: contentOf(fired.updatedOutput, call.tool.maxResultChars) }
}

/** As fields if the tool provides them, otherwise as the model reads it. */
const responseOf = ({ data, content }: Outcome): JsonValue =>
  data ?? (typeof content === "string" ? content : content.map((block) => ({ ...block }) as JsonObject))

function contentOf(output: JsonValue, most: number): ResultContent {
  const text = typeof output === "string" ? output : JSON.stringify(output)
  if (text.length <= most) return text
  return headAndTail(text, text, most, `[Cut here: a hook gave ${text.length.toLocaleString("en-US")} characters.]`)
}

const interruptedWords = (signal: AbortSignal): string =>
  `Interrupted by ${interrupterOf(signal)} while a hook looked at it. Nothing was done.`
const notRunWords = "Not run: a hook ended the turn."

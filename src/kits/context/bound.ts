/** Limits what the model is told: a result beyond its tool's limit is stored in a file and cut. */

import type { Display } from "#agent/words/display.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"

export type KeepResult = (callId: string, text: string) => Promise<Result<string, string>>

/** `most`: in characters, where the model has little room. */
export function boundResults(keep: KeepResult, most: () => number | undefined = () => undefined): Middleware {
  return async (call, next) => {
    const outcome = await next(call)
    const limit = Math.min(call.tool.maxResultChars, most() ?? Number.POSITIVE_INFINITY)
    if (typeof outcome.content === "string")
      return outcome.content.length <= limit ? outcome : bounded(outcome, outcome.content, limit, call.callId, keep)
    const texts = outcome.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    return size <= limit ? outcome : bounded(outcome, texts.join("\n"), limit, call.callId, keep)
  }
}

async function bounded(
  outcome: Outcome,
  whole: string,
  limit: number,
  callId: string,
  keep: KeepResult,
): Promise<Outcome> {
  const kept = await keep(callId, whole)
  const where = kept.ok
    ? `The whole result is in ${kept.value}; Read it in parts.`
    : `It could not be kept (${kept.failure}).`
  const note = `[cut: of ${whole.length} characters only the beginning and the end are shown. ${where}]`
  const { data, display } = outcome
  return {
    ...outcome,
    content: headAndTail(whole, whole, limit, note),
    // What programs get and what is shown are in the log as well, so they have the same limit.
    ...optional("data", data && (cutValue(data, limit, note) as JsonObject)),
    ...optional("display", display && cutDisplay(display, limit, note)),
  }
}

/** Long texts are cut as the result is; a long list has what the beginning of a text has. */
function cutValue(value: JsonValue, limit: number, note: string): JsonValue {
  if (typeof value === "string") return value.length <= limit ? value : headAndTail(value, value, limit, note)
  if (Array.isArray(value)) return firstItems(value, limit).map((one) => cutValue(one, limit, note))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutValue(one, limit, note)]))
}

function cutDisplay(display: Display, limit: number, note: string): Display {
  if (display.kind !== "list") return cutValue(display as unknown as JsonObject, limit, note) as unknown as Display
  const items = firstItems(display.items, limit)
  return items.length === display.items.length
    ? display
    : { ...display, items, note: `[${display.items.length - items.length} more are not shown]` }
}

function firstItems<T extends JsonValue>(list: readonly T[], limit: number): readonly T[] {
  let size = 0
  const end = list.findIndex((one) => (size += typeof one === "string" ? one.length + 1 : 1) > limit / 2)
  return end < 0 ? list : list.slice(0, Math.max(1, end))
}

/** Watches what the provider read from its cache: when that falls without a reason, it says what changed. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Request } from "#agent/words/model.ts"

export interface CacheWatch {
  readonly take: (entry: Entry) => void
  /** A request is on its way. */
  readonly sent: (request: Request) => void
}

/** Falls by less are the provider's own affair. */
const leastShare = 0.05
const leastTokens = 2_000
/** How long a provider keeps a prefix that nobody asks for. */
const keptMs = 5 * 60_000

export function openCacheWatch({ record }: { readonly record: (body: EntryBody) => void }): CacheWatch {
  let before: Request | undefined
  let now: Request | undefined
  /** What was read from the cache with the answer before, and when that was. */
  let last: { readonly cached: number; readonly at: number } | undefined
  let isExcused = false
  /** An old log that is read again was judged when it was written. */
  let isAwaited = false
  let found: string | undefined

  function judge({ usage, at, stopReason }: Entry & { kind: "reply_end" }): void {
    // Of an answer that was cut off the numbers are not all there.
    if (stopReason === "aborted" || stopReason === "orphaned") return
    const cached = usage.cache_read_input_tokens
    const lost = last === undefined ? 0 : last.cached - cached
    const isPause = last !== undefined && at - last.at > keptMs
    // Another mode may have another model, without anybody choosing it.
    const isOtherModel = before !== undefined && before.model !== now?.model
    if (
      last !== undefined &&
      !isExcused &&
      !isOtherModel &&
      !isPause &&
      lost > leastTokens &&
      lost > last.cached * leastShare
    )
      found = breakWords(lost, changeBetween(before, now))
    last = { cached, at }
    isExcused = false
  }

  return {
    sent(request) {
      // Not recorded while the answer is: one fact after the other.
      if (found !== undefined) record({ kind: "notice", level: "info", text: found })
      found = undefined
      isAwaited = true
      before = now
      now = request
    },
    take(entry) {
      switch (entry.kind) {
        case "reply_end":
          if (isAwaited) judge(entry)
          isAwaited = false
          return
        case "model":
        case "shrink":
        case "stub":
        case "compaction":
        case "head":
          isExcused = true
          return
        default:
      }
    },
  }
}

type Change = "the tools" | "the system prompt" | "the settings of the request" | "nothing" | string

/** The first part that differs, in the order in which a provider reads them. */
function changeBetween(before: Request | undefined, now: Request | undefined): Change {
  if (!before || !now) return "nothing"
  if (differs(before.tools, now.tools)) return "the tools"
  if (differs(before.system, now.system)) return "the system prompt"
  if (differs(before.thinking, now.thinking)) return "the settings of the request"
  const index = before.messages.findIndex(
    (message, i) => !continues(message, now.messages[i], i, before.messages.length),
  )
  return index < 0 ? "nothing" : `message ${index + 1} of ${before.messages.length}`
}

const differs = (a: unknown, b: unknown): boolean => a !== b && JSON.stringify(a) !== JSON.stringify(b)

/** The last message may have grown; those before it must be what they were. */
function continues(
  before: Request["messages"][number],
  now: Request["messages"][number] | undefined,
  index: number,
  count: number,
): boolean {
  if (before === now) return true
  if (now === undefined || before.role !== now.role) return false
  if (index < count - 1) return !differs(before.content, now.content)
  return before.content.every((block, i) => !differs(block, now.content[i]))
}

function breakWords(lost: number, change: Change): string {
  const why =
    change === "nothing"
      ? "Nothing that was sent before has changed: the provider did not keep it."
      : `What changed is ${change}.`
  return `The provider read ${lost} tokens fewer from its cache than before, so they were paid for again. ${why}`
}

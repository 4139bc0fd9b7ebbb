/** Watches the provider's cache reads: if they drop without a reason, reports what changed. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Request, ToolSpec } from "#agent/words/model.ts"
import { wholeNumber } from "#lib/figures.ts"

export interface CacheWatch {
  readonly onEntry: (entry: Entry) => void
  readonly sent: (request: Request) => void
}

/** Smaller drops are up to the provider. */
const leastShare = 0.05
const leastTokens = 2_000

export function openCacheWatch({
  record,
  keptMs,
}: {
  readonly record: (body: EntryBody) => void
  /** How long a model's provider caches an unused prefix; undefined if it does not cache. */
  readonly keptMs: (model: string) => number | undefined
}): CacheWatch {
  let before: Sent | undefined
  let now: Request | undefined
  /** Cache reads of the previous answer, and its time. */
  let last: { readonly cached: number; readonly at: number } | undefined
  let isExcused = false
  /** A replayed log was judged when it was written; its prefix may still be cached, though. */
  let isAwaited = false
  let isResumed = true
  let found: string | undefined

  function judge({ usage, at, cut, model }: Entry & { kind: "reply_end" }): void {
    // The numbers of a cut-off answer are incomplete.
    if (cut !== undefined) return
    const cached = usage.cache_read_input_tokens
    const lost = last === undefined ? 0 : last.cached - cached
    const isPause = last !== undefined && at - last.at > (keptMs(model) ?? 0)
    // Another mode may use another model without anybody choosing it.
    const isOtherModel = before !== undefined && before.model !== now?.model
    if (
      last !== undefined &&
      !isExcused &&
      !isOtherModel &&
      !isPause &&
      lost > leastTokens &&
      lost > last.cached * leastShare
    )
      found = breakWords(lost, changeBetween(before, now), isResumed)
    last = { cached, at }
    isExcused = false
    isResumed = false
  }

  return {
    sent(request) {
      // Not while the answer is being recorded: one entry after the other.
      if (found !== undefined) record({ kind: "notice", level: "info", text: found })
      found = undefined
      isAwaited = true
      before = now ?? before
      now = request
    },
    onEntry(entry) {
      switch (entry.kind) {
        case "reply_end":
          if (isAwaited) judge(entry)
          else if (entry.cut === undefined) {
            last = { cached: entry.usage.cache_read_input_tokens, at: entry.at }
            isExcused = false
          }
          isAwaited = false
          return
        case "setup":
          // Without messages: those of the log are those of the conversation.
          if (now === undefined) before = { system: entry.system, tools: entry.tools, messages: [] }
          return
        case "request":
          if (now === undefined && before) before = { ...before, model: entry.model }
          return
        case "model":
        case "shrink":
        case "stub":
        case "compaction":
        case "head":
        // Its tools are listed from here on.
        case "team":
          isExcused = true
          return
        default:
      }
    },
  }
}

/** What is known of a request; for one from the log, only its beginning. */
type Sent = Pick<Request, "system" | "tools" | "messages"> & Partial<Request>

type PrefixChange = "the tools" | "the system prompt" | "the settings of the request" | "nothing" | string

/** The first part that differs, in the order in which a provider reads them. */
function changeBetween(before: Sent | undefined, now: Request | undefined): PrefixChange {
  if (!before || !now) return "nothing"
  const tool = changedTool(before.tools.filter(isListed), now.tools.filter(isListed))
  if (tool !== undefined) return `the tools (${tool})`
  if (differs(before.system, now.system)) return "the system prompt"
  if (before.thinking && differs(before.thinking, now.thinking)) return "the settings of the request"
  const loaded = loadedChange(before, now)
  if (loaded !== undefined) return `the tool ${loaded}, which was loaded before`
  const index = before.messages.findIndex(
    (message, i) => !continues(message, now.messages[i], i, before.messages.length),
  )
  return index < 0 ? "nothing" : `message ${index + 1} of ${before.messages.length}`
}

const isListed = ({ deferred }: ToolSpec): boolean => !deferred

/** What happened to the first tool that differs. */
function changedTool(before: readonly ToolSpec[], now: readonly ToolSpec[]): string | undefined {
  if (!differs(before, now)) return undefined
  const index = before.findIndex((tool, at) => differs(tool, now[at]))
  const [old, other] = index < 0 ? [undefined, now[before.length]] : [before[index], now[index]]
  if (old && now.every(({ name }) => name !== old.name)) return `${old.name} is gone`
  if (other && before.every(({ name }) => name !== other.name)) return `${other.name} is new`
  return old?.name === other?.name ? `${old?.name ?? ""} is another` : "their order"
}

/** A deferred tool that messages refer to is read at that point, so it must not change. */
function loadedChange(before: Sent, now: Request): string | undefined {
  const changed = before.tools.filter(
    (tool) =>
      !isListed(tool) &&
      differs(
        tool,
        now.tools.find(({ name }) => name === tool.name),
      ),
  )
  if (changed.length === 0) return undefined
  const text = JSON.stringify(before.messages)
  return changed.find(({ name }) => text.includes(`"tool_name":${JSON.stringify(name)}`))?.name
}

const differs = (a: unknown, b: unknown): boolean => a !== b && JSON.stringify(a) !== JSON.stringify(b)

/** The last message may have grown; those before it must be the same. */
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

function breakWords(lost: number, change: PrefixChange, isResumed: boolean): string {
  const when = isResumed ? ", which was made again when the session was resumed" : ""
  const why =
    change === "nothing"
      ? "Nothing that was sent before has changed: the provider did not keep it."
      : `What changed is ${change}${when}.`
  return `The provider read ${wholeNumber(lost)} tokens fewer from its cache than before, so they were paid for again. ${why}`
}

/**
 * Checks that each request only adds to the previous one in its conversation, and reports what changed if it does
 * not.
 */

import type { Segment, SegmentPlace } from "./measure.ts"
import type { SimRequest } from "./request.ts"

export interface CacheBreak {
  readonly request: number
  readonly at: number
  readonly changed: "model" | "tools" | "system" | "parameters" | "message"
  /** Which message, if one changed or is gone. */
  readonly message?: number
  /** How many tokens of the earlier request no longer match. */
  readonly lostTokens: number
}

export interface PrefixWatch {
  readonly see: (request: SimRequest, segments: readonly Segment[], when: Moment) => CacheBreak | undefined
  readonly clear: () => void
}

interface Moment {
  readonly number: number
  readonly at: number
  /** Ids of the calls it was answered with: the next request of the conversation brings their results. */
  readonly answeredIds: readonly string[]
}

interface Seen {
  readonly segments: readonly Segment[]
  readonly keys: readonly string[]
}

const mostConversations = 256

export function openPrefixWatch(): PrefixWatch {
  let seen: Seen[] = []

  return {
    see(request, segments, moment) {
      const keys = keysOf(request)
      // A conversation with a single message is a new one, even if the same words were sent before.
      const related = request.messages.length === 1 ? [] : seen.filter((known) => sharesKey(known, keys))
      const best = related.toSorted((a, b) => sharedCount(b, segments) - sharedCount(a, segments))[0]
      seen = [...seen.filter((known) => known !== best), { segments, keys: [...keys, ...moment.answeredIds] }].slice(
        -mostConversations,
      )
      return best && compare(best.segments, segments, moment)
    },
    clear() {
      seen = []
    },
  }
}

function compare(
  before: readonly Segment[],
  after: readonly Segment[],
  { number, at }: Moment,
): CacheBreak | undefined {
  const shared = sharedLength(before, after)
  // All of the earlier one is there, or the conversation went back to an earlier point: nothing that was sent changed.
  if (shared === before.length || shared === after.length) return undefined
  const place = firstDifference(before[shared], after[shared])
  if (place === undefined) return undefined
  const kept = before[shared - 1]?.tokens ?? 0
  return { request: number, at, ...changeAt(place), lostTokens: (before.at(-1)?.tokens ?? 0) - kept }
}

/** A removed tool shows as the system prompt coming early: the earlier place is the one that changed. */
function firstDifference(a: Segment | undefined, b: Segment | undefined): SegmentPlace | undefined {
  if (a === undefined || b === undefined) return (a ?? b)?.place
  return rank(a.place) <= rank(b.place) ? a.place : b.place
}

const rank = ({ part }: SegmentPlace): number => ["model", "tools", "system", "parameters", "messages"].indexOf(part)

function changeAt(place: SegmentPlace): Pick<CacheBreak, "changed" | "message"> {
  return place.part === "messages" ? { changed: "message", message: place.message } : { changed: place.part }
}

function sharedLength(before: readonly Segment[], after: readonly Segment[]): number {
  let at = Math.min(before.length, after.length)
  // Hashes cover all that came before, so usually the first look settles it.
  while (at > 0 && before[at - 1]?.hash !== after[at - 1]?.hash) at--
  return at
}

/** An unchanged prefix counts most; then how much is shared. */
function sharedCount({ segments: before }: Seen, after: readonly Segment[]): number {
  const shared = sharedLength(before, after)
  return shared === before.length ? Number.MAX_SAFE_INTEGER - 1_000_000 + shared : shared
}

/** What identifies a conversation: how it starts, and the unique ids of its last calls. */
function keysOf({ messages }: SimRequest): readonly string[] {
  const lastReply = messages.findLast(({ role }) => role === "assistant")
  const calls = lastReply?.content.flatMap(({ type, id }) =>
    type === "tool_use" && typeof id === "string" ? [id] : [],
  )
  const opening = JSON.stringify(messages[0]?.content.map(({ type, text }) => [type ?? null, text ?? null]))
  return [`opening ${Bun.hash(opening ?? "")}`, ...(calls ?? [])]
}

const sharesKey = (known: Seen, keys: readonly string[]): boolean => known.keys.some((key) => keys.includes(key))

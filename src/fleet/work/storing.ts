/** Where the files of a session are kept for others: small ones in the database, large ones also in their source, as the settings say. */

import type { Result } from "#lib/result.ts"
import type { Checkout, Lane } from "#ground/workspace/source/checkout.ts"
import type { Beside } from "#ground/workspace/source/keep.ts"
import type { Sources } from "#ground/workspace/source/sources.ts"
import type { Lease } from "#fleet/records.ts"
import type { Fenced } from "#fleet/store/failures.ts"
import type { FleetTree, FleetTrees, KeptIn, TreeNews } from "#fleet/store/trees.ts"

export interface TreeLimits {
  /** What is larger goes to `large`. */
  readonly smallBytes: number
  readonly large: "database" | "source"
  /** More is never put into the database for one session. */
  readonly mostBytes: number
}

export interface StoringParts {
  readonly trees: FleetTrees
  readonly sources: Sources
  readonly limits: TreeLimits
  readonly lease: Lease
  readonly checkout: Checkout
  /** What is kept already. */
  readonly before: FleetTree
  readonly host: string
  readonly report: (text: string) => void
}

export interface Storing {
  /** `beside`: what was not given before; `isWhole`: the source is gone, so all of it is kept. */
  readonly keep: (beside: Iterable<Beside>, isWhole: boolean) => Promise<void>
}

/** So many parts build on each other at most. */
const mostParts = 100

interface LaneState {
  kept: KeptIn | undefined
  /** The state that was kept, before it was joined to an earlier one. */
  content: string | undefined
  /** Of the last pack with everything. */
  wholeBytes: number
  parts: number
  hasSource: boolean
}

export const sourceRef = (sessionId: string): string => `refs/codewright/${sessionId}`

export function openStoring(parts: StoringParts): Storing {
  const { trees, sources, limits, lease, checkout, before } = parts
  const lanes: { readonly [lane in Lane]: LaneState } = {
    files: { kept: before.files, content: undefined, wholeBytes: 0, parts: 0, hasSource: false },
    beside: { kept: before.beside, content: undefined, wholeBytes: 0, parts: 0, hasSource: false },
  }
  let isBehind = before.behind !== undefined
  const said = new Set<string>()

  /** Each thing once: the next time nothing has changed about it. */
  function say(text: string): void {
    if (said.has(text)) return
    said.add(text)
    parts.report(`Session ${lease.sessionId}: ${text}`)
  }

  /** When the lease is lost, whoever waits for the next line learns it. */
  async function store(news: TreeNews, content: string | undefined, bytes: number): Promise<Result<void, Fenced>> {
    const kept = await trees.keep(lease, news)
    if (!kept.ok) return kept
    const lane = lanes[news.lane]
    lane.kept = news.state === undefined ? undefined : { state: news.state, place: news.place, bytes }
    lane.content = content
    lane.parts = news.replaces ? 1 : lane.parts + 1
    if (news.lane === "files") isBehind = false
    return kept
  }

  /** Only what is new, as long as the parts together are not much larger than the whole. */
  async function append(lane: Lane, state: string): Promise<boolean> {
    const { kept, wholeBytes, parts: count } = lanes[lane]
    if (kept?.place !== "database" || kept.bytes === 0 || count >= mostParts) return false
    const packed = await sources.pack(checkout, lane, state, { since: kept.state })
    if (!packed.ok) return false
    const { bytes: part, state: joined } = packed.value
    const bytes = kept.bytes + part.length
    if (bytes > Math.min(limits.mostBytes, Math.max(limits.smallBytes, 2 * wholeBytes))) return false
    await store({ lane, state: joined, place: "database", part, replaces: false }, state, bytes)
    return true
  }

  async function pushed(state: string): Promise<boolean> {
    const { kept } = lanes.files
    const done = await sources.push(
      checkout,
      state,
      sourceRef(lease.sessionId),
      kept?.place === "source" ? kept.state : undefined,
    )
    if (done.ok) await store({ lane: "files", state: done.value, place: "source", replaces: true }, state, 0)
    else say(`its files cannot be pushed to ${checkout.url} and stay in the database: ${done.failure}`)
    return done.ok
  }

  async function keepLane(lane: Lane, state: string, isWhole: boolean): Promise<void> {
    const now = lanes[lane]
    const hasAll = isWhole && lane === "files"
    if (now.kept && now.content === state && (!hasAll || now.hasSource)) return
    const isLarge = now.kept?.place === "source"
    if (isLarge && !hasAll && (await pushed(state))) return
    if ((!hasAll || now.hasSource) && (await append(lane, state))) return
    const packed = await sources.pack(checkout, lane, state, ...(hasAll ? ["whole" as const] : []))
    if (!packed.ok) return refuse(lane, packed.failure)
    const { bytes: part, state: joined } = packed.value
    const { length } = part
    const mayPush = lane === "files" && limits.large === "source" && !hasAll && !isLarge
    if (length > limits.smallBytes && mayPush && (await pushed(state))) return
    if (length > limits.mostBytes)
      return refuse(lane, `they are ${inMb(length)}, and at most ${inMb(limits.mostBytes)} are kept`)
    now.wholeBytes = length
    const stored = await store({ lane, state: joined, place: "database", part, replaces: true }, state, length)
    if (stored.ok && hasAll) now.hasSource = true
  }

  /** The session goes on here; only moving it is refused, so that nothing is lost. */
  async function refuse(lane: Lane, why: string): Promise<void> {
    if (lane === "files") {
      say(`its files cannot be kept for other machines: ${why}.`)
      if (!isBehind) await trees.fallBehind(lease, `${why}. They are on ${parts.host}, in ${checkout.tree}`)
      isBehind = true
    } else {
      say(`ignored files and older states for rewinding are not kept for other machines: ${why}.`)
      if (lanes.beside.kept) await store({ lane, state: undefined, place: "database", replaces: true }, undefined, 0)
    }
  }

  return {
    async keep(beside, isWhole) {
      const states = await sources.keep(checkout, beside)
      if (!states.ok) return refuse("files", states.failure)
      // The files come last: what they build on is there when they are.
      await keepLane("beside", states.value.beside, isWhole)
      await keepLane("files", states.value.files, isWhole)
    },
  }
}

const inMb = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`

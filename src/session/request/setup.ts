/**
 * What every request begins with: system prompt and tools. Made when a conversation begins, kept byte for byte, and made
 * again only where the conversation itself starts over; what comes in between is deferred, and told of.
 */

import type { ConversationFollower } from "#agent/words/follower.ts"
import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { SystemPart, ToolSpec } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { Listing } from "#kits/mcp/listing.ts"
import type { Late } from "./late.ts"

export interface SetupValue {
  readonly system: readonly SystemPart[]
  /** What is deferred comes last. */
  readonly tools: readonly ToolSpec[]
}

export interface Setup extends ConversationFollower {
  /** Makes it ready for the next request, and gives what the model must be told with that. */
  readonly ready: () => readonly Attachment[]
  /** As it is; what it would be, where it is yet to be made. */
  readonly value: () => SetupValue
  /** The day that the system prompt names. */
  readonly day: () => string
  /** What can be called now, listed or not. */
  readonly tools: () => readonly AnyTool[]
  /** For an agent that is to begin as this conversation did. */
  readonly beginning: () => Beginning | undefined
}

export interface SetupParts {
  /** Those that are there as long as the session is. */
  readonly settled: readonly AnyTool[]
  readonly late: Late | undefined
  readonly system: (about: {
    readonly tools: readonly string[]
    readonly servers: readonly Guidance[]
    readonly day: string
  }) => readonly SystemPart[]
  /** Today. */
  readonly day: () => string
  /** Whether the model's provider takes deferred tools. */
  readonly defers: () => boolean
  /** What the first request begins with, where that is handed down. */
  readonly begun?: Beginning
}

/** One beginning; `system` keeps its identity as long as it holds. */
export interface Beginning {
  readonly system: readonly SystemPart[]
  readonly listing: Listing
  readonly guidance: readonly Guidance[]
  readonly day: string
}

export function openSetup({ settled, late, system, day, defers, begun }: SetupParts): Setup {
  const specs = settled.map(specOf)
  const bridge = late?.bridge && specOf(late.bridge)
  /** Those of this process, by the entry that recorded them: a conversation that goes back continues with its own. */
  const recorded = new Map<string, Beginning>()
  let made: Beginning | undefined
  let first = begun
  let last: { readonly made: Beginning; readonly defers: boolean; readonly value: SetupValue } | undefined

  function make(): Beginning {
    if (first) return first
    const listing = late?.tools.begin() ?? nothingLate
    const guidance = late?.guidance() ?? []
    const names = [...specs, ...listing.plain].map(({ name }) => name)
    const today = day()
    return { system: system({ tools: names, servers: guidance, day: today }), listing, guidance, day: today }
  }

  return {
    ready() {
      if (!late) {
        made ??= make()
        first = undefined
        return []
      }
      const now = made ?? make()
      const listing = made || first ? late.tools.extend(now.listing) : now.listing
      made = listing === now.listing ? now : { ...now, listing }
      first = undefined
      late.tools.hold(made.listing, made.guidance)
      const news = late.tools.news()
      return news ? [news] : []
    },
    value() {
      const now = made ?? make()
      const isDeferring = defers()
      if (last?.made === now && last.defers === isDeferring) return last.value
      const { plain, deferred } = now.listing
      const tools = [...specs, ...(bridge && !isDeferring ? [bridge] : []), ...plain, ...deferred]
      const value = { system: now.system, tools }
      if (made) last = { made, defers: isDeferring, value }
      return value
    },
    day: () => made?.day ?? first?.day ?? day(),
    beginning: () => made,
    tools: () => (late ? [...settled, ...(late.bridge ? [late.bridge] : []), ...late.tools.callable()] : settled),
    take(entry) {
      late?.tools.take(entry)
      if (entry.kind === "compaction") made = undefined
      if (entry.kind !== "setup") return
      // An entry of an earlier process has the same words, but was not made of what is there now.
      if (made && entry.system === made.system) recorded.set(entry.uuid, made)
      else made = recorded.get(entry.uuid)
    },
    reset() {
      late?.tools.reset()
      made = undefined
    },
  }
}

const nothingLate: Listing = { plain: [], deferred: [] }

const specOf = ({ name, description, schema }: AnyTool): ToolSpec => ({ name, description, input_schema: schema })

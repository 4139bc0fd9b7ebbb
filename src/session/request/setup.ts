/**
 * What every request begins with: system prompt and tools. Made when a conversation begins, kept byte for byte, and remade only where the conversation
 * starts over; tools that come in between are deferred and announced.
 */

import { byKind, type ConversationFollower, onEntryOfAll } from "#agent/words/follower.ts"
import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { SystemPart, ToolSpec } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { shortSpec } from "#kits/context/small.ts"
import type { Listing } from "#kits/mcp/listing.ts"
import { lazily } from "#lib/lazily.ts"
import type { Late } from "./late.ts"
import type { Setups, SetupValue } from "./setups.ts"

export interface Setup extends ConversationFollower {
  /** Prepares it for the next request, and returns what the model must be told along with it. */
  readonly ready: () => readonly Attachment[]
  /** The current value, or what it would be if not made yet. Deferred tools come last. */
  readonly value: () => SetupValue
  readonly day: () => string
  readonly tools: () => readonly AnyTool[]
  /** For an agent that starts with the same beginning. */
  readonly beginning: () => RequestBeginning | undefined
}

export interface SetupParts {
  /** Present as long as the session is. */
  readonly settled: readonly AnyTool[]
  /**
   * Listed from some moment on, at the price of what the provider has cached: without them, the work they are for could not
   * begin. The same value as long as they are the same.
   */
  readonly joined: () => readonly AnyTool[]
  readonly late: Late | undefined
  readonly system: (about: {
    readonly tools: readonly string[]
    readonly servers: readonly Guidance[]
    readonly day: string
  }) => readonly SystemPart[]
  readonly day: () => string
  /** Whether the model's provider supports deferred tools. */
  readonly defers: () => boolean
  /** Whether the model is a small one, and which of the tools it is offered nevertheless. */
  readonly small: () => boolean
  readonly isForSmall: (tool: AnyTool) => boolean
  /** What the first request begins with, if that is handed down. */
  readonly begun?: RequestBeginning
  readonly setups: Setups
}

/** `system` keeps its identity as long as it is valid. */
export interface RequestBeginning {
  readonly system: readonly SystemPart[]
  readonly listing: Listing
  readonly guidance: readonly Guidance[]
  readonly day: string
  readonly isSmall: boolean
}

export function openSetup(parts: SetupParts): Setup {
  const { settled, joined, late, system, day, defers, small, begun, setups } = parts
  const fullSpecs = settled.map(specOf)
  const few = lazily(() => settled.filter(parts.isForSmall))
  const fewSpecs = lazily(() => few().map(specOf).map(shortSpec))
  const specsFor = (isSmall: boolean): readonly ToolSpec[] => (isSmall ? fewSpecs() : fullSpecs)
  const fullNames = namesOf(fullSpecs)
  const fewNames = lazily(() => namesOf(fewSpecs()))
  const joinedSpecs = specsOf(joined)
  const bridge = late?.bridge && specOf(late.bridge)
  /** Beginnings of this process, by the entry that recorded them: a rewound conversation continues with its own. */
  const recorded = new Map<string, RequestBeginning>()
  let made: RequestBeginning | undefined
  let first = begun
  let last:
    | {
        readonly made: RequestBeginning
        readonly defers: boolean
        readonly more: readonly ToolSpec[]
        readonly value: SetupValue
      }
    | undefined

  function make(): RequestBeginning {
    const isSmall = small()
    if (first?.isSmall === isSmall) return first
    const listing = late?.tools.begin() ?? nothingLate
    const guidance = late?.guidance() ?? noGuidance
    const own = isSmall ? fewNames() : fullNames
    const tools = listing.plain.length === 0 ? own : [...own, ...namesOf(listing.plain)]
    const today = day()
    return { system: system({ tools, servers: guidance, day: today }), listing, guidance, day: today, isSmall }
  }

  /** As it was made, unless it was made for a model of the other kind. */
  const current = (): RequestBeginning | undefined => (made?.isSmall === small() ? made : undefined)

  function valueOf(
    { system: text, listing, isSmall }: RequestBeginning,
    isDeferring: boolean,
    more: readonly ToolSpec[],
  ) {
    const found = bridge && !isDeferring ? [bridge] : []
    return { system: text, tools: [...specsFor(isSmall), ...more, ...found, ...listing.plain, ...listing.deferred] }
  }

  return {
    ready() {
      if (!late) {
        made = current() ?? make()
        first = undefined
        return []
      }
      const known = current()
      const now = known ?? make()
      const listing = known || first ? late.tools.extend(now.listing) : now.listing
      made = listing === now.listing ? now : { ...now, listing }
      first = undefined
      late.tools.setListing(made.listing, made.guidance)
      const news = late.tools.news()
      return news ? [news] : []
    },
    value() {
      const known = current()
      const now = known ?? make()
      const isDeferring = defers()
      const more = joinedSpecs()
      const before = last?.defers === isDeferring && last.more === more ? last : undefined
      if (before?.made === now) return before.value
      const value = before && isSame(before.made, now) ? before.value : setups.shared(valueOf(now, isDeferring, more))
      const begins = value.system === now.system ? now : { ...now, system: value.system }
      if (known) made = begins
      last = { made: begins, defers: isDeferring, more, value }
      return value
    },
    day: () => made?.day ?? first?.day ?? day(),
    beginning: () => made,
    tools() {
      const more = joined()
      const own = small() ? few() : settled
      const listed = more.length === 0 ? own : [...own, ...more]
      return late ? [...listed, ...(late.bridge ? [late.bridge] : []), ...late.tools.callable()] : listed
    },
    onEntry: onEntryOfAll(
      ...(late ? [late.tools.onEntry] : []),
      byKind({
        compaction: () => void (made = undefined),
        setup({ system: text, uuid }) {
          // An entry of an earlier process may have the same text, but was not made from the current tools.
          if (made && text === made.system) recorded.set(uuid, made)
          else made = recorded.get(uuid)
        },
      }),
    ),
    reset() {
      late?.tools.reset()
      made = undefined
    },
  }
}

/** Whether both make the same value of the same tools: it is made to be weighed before it is made to be sent. */
const isSame = (a: RequestBeginning, b: RequestBeginning): boolean =>
  a.listing === b.listing && Bun.deepEquals(a.system, b.system)

const namesOf = (tools: readonly ToolSpec[]): readonly string[] => tools.map(({ name }) => name)

const nothingLate: Listing = { plain: [], deferred: [] }
const noGuidance: readonly Guidance[] = []

export const specOf = ({ name, description, schema }: AnyTool): ToolSpec => ({
  name,
  description,
  input_schema: schema,
})

function specsOf(list: () => readonly AnyTool[]): () => readonly ToolSpec[] {
  let known: readonly AnyTool[] = []
  let specs: readonly ToolSpec[] = []
  return () => {
    const now = list()
    if (now !== known) specs = now.map(specOf)
    known = now
    return specs
  }
}

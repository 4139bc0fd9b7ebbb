/** Tools that come and go during a session: what the model was told of them, and what it must be told next. */

import type { ConversationFollower } from "#agent/words/follower.ts"
import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { digestOf } from "./digest.ts"
import { openCatalog } from "./late-catalog.ts"
import { newsOf } from "./late-news.ts"
import { openLateHistory } from "./late-history.ts"
import {
  beginListing,
  extendListing,
  isLoaded,
  type Listing,
  type ListingQuestion,
  nothingListed,
  type Offer,
  offerOf,
  plainSpec,
} from "./listing.ts"

export interface LatePorts {
  /** Callable now and not hidden by a rule. */
  readonly tools: () => readonly AnyTool[]
  readonly guidance: () => readonly Guidance[]
  readonly window: () => number
  /** Whether the model's provider supports deferred tools. */
  readonly defers: () => boolean
  /** Whether all tools present when a conversation begins are listed in full; no when absent. */
  readonly listsAll?: boolean
  readonly canSearch: boolean
}

export interface LateTools extends ConversationFollower {
  /** A listing for a conversation whose beginning is remade. */
  readonly begin: () => Listing
  /** The listing with additions; the same value if there are none. */
  readonly extend: (listing: Listing) => Listing
  /** Requests use this listing, and this guidance in the system prompt. */
  readonly setListing: (listing: Listing, guided: readonly Guidance[]) => void
  /** What the model does not know yet. It counts as told once it is recorded as an entry. */
  readonly news: () => Attachment | undefined
  /** Everything callable, and what once was: a call to that is answered, too. */
  readonly callable: () => readonly AnyTool[]
  readonly offer: (tool: AnyTool) => Offer
}

export function openLateTools(ports: LatePorts): LateTools {
  const catalog = openCatalog(ports.tools)
  const history = openLateHistory()
  let currentListing = nothingListed
  let listed: ReadonlyMap<string, string> = new Map()
  let guided: ReadonlyMap<string, string> = new Map()

  const question = (): ListingQuestion => ({
    present: catalog.tools().map((tool) => catalog.definitionOf(tool).spec),
    referenced: history.referenced(),
    needed: history.needed(),
    known: catalog.specOf,
    window: ports.window(),
    listsAll: ports.listsAll ?? false,
    canSearch: ports.canSearch,
    wished: (name) => catalog.find(name)?.listed,
  })

  function toldOf(name: string): string | undefined {
    const announced = history.tools()
    return announced.has(name) ? announced.get(name) : listed.get(name)
  }

  const isNew = ({ from, text }: Guidance): boolean =>
    (history.guidance().get(from) ?? guided.get(from)) !== digestOf(text)

  return {
    onEntry(entry) {
      if (entry.kind === "setup") catalog.learn(entry.tools)
      else history.onEntry(entry)
    },
    reset: history.reset,
    begin: () => beginListing(question()),
    extend: (listing) => extendListing(listing, question()),
    setListing(listing, guidance) {
      if (listing.plain !== currentListing.plain)
        listed = new Map(listing.plain.map((spec) => [spec.name, digestOf(plainSpec(spec))]))
      currentListing = listing
      guided = new Map(guidance.map(({ from, text }) => [from, digestOf(text)]))
    },
    news: () =>
      newsOf({
        present: catalog.tools(),
        seen: catalog.seen(),
        digestOf: (tool) => catalog.definitionOf(tool).digest,
        toldOf,
        isOffered: ({ name }) => ports.canSearch || listed.has(name),
        isLoaded: (tool) => isLoaded(catalog.definitionOf(tool).spec, currentListing, history.referenced()),
        guidance: ports.guidance().filter(isNew),
        loading: ports.defers() ? "reference" : "words",
      }),
    callable: catalog.callable,
    offer: (tool) =>
      offerOf(catalog.definitionOf(tool).spec, {
        listing: currentListing,
        referenced: history.referenced(),
        defers: ports.defers(),
      }),
  }
}

/** Tools that come and go while the session is open: what the model was told of them, and what it must be told next. */

import type { ConversationFollower } from "#agent/words/follower.ts"
import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { digestOf } from "./digest.ts"
import { openCatalog } from "./late-catalog.ts"
import { newsOf } from "./late-news.ts"
import { openTold } from "./late-told.ts"
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
  /** Those callable now that no rule hides. */
  readonly tools: () => readonly AnyTool[]
  /** What servers say about the use of their tools, as it is now. */
  readonly guidance: () => readonly Guidance[]
  /** The window of the model, in tokens. */
  readonly window: () => number
  /** Whether the model's provider takes deferred tools. */
  readonly defers: () => boolean
  /** Whether whatever is there when a conversation begins is listed whole; no when absent. */
  readonly listsAll?: boolean
  /** Whether there is ToolSearch. */
  readonly canSearch: boolean
}

export interface LateTools extends ConversationFollower {
  /** A listing for a conversation whose beginning is made again. */
  readonly begin: () => Listing
  /** The listing with what came since; the same value when nothing did. */
  readonly extend: (listing: Listing) => Listing
  /** Requests are made with this listing, and with these words of servers in the system prompt. */
  readonly hold: (listing: Listing, guided: readonly Guidance[]) => void
  /** What the model does not know yet. It counts as told once it is taken as an entry. */
  readonly news: () => Attachment | undefined
  /** Whatever can be called, and what was there once: a call to that is answered, too. */
  readonly callable: () => readonly AnyTool[]
  readonly offer: (tool: AnyTool) => Offer
}

export function openLateTools(ports: LatePorts): LateTools {
  const catalog = openCatalog(ports.tools)
  const told = openTold()
  let held = nothingListed
  /** The digests of what stands before the model from the beginning. */
  let listed: ReadonlyMap<string, string> = new Map()
  let guided: ReadonlyMap<string, string> = new Map()

  const question = (): ListingQuestion => ({
    present: catalog.look().map((tool) => catalog.definitionOf(tool).spec),
    referenced: told.referenced(),
    needed: told.needed(),
    known: catalog.specOf,
    window: ports.window(),
    listsAll: ports.listsAll ?? false,
    canSearch: ports.canSearch,
  })

  function toldOf(name: string): string | undefined {
    const announced = told.tools()
    return announced.has(name) ? announced.get(name) : listed.get(name)
  }

  const isNew = ({ from, text }: Guidance): boolean =>
    (told.guidance().get(from) ?? guided.get(from)) !== digestOf(text)

  return {
    take(entry) {
      if (entry.kind === "setup") catalog.learn(entry.tools)
      else told.take(entry)
    },
    reset: told.reset,
    begin: () => beginListing(question()),
    extend: (listing) => extendListing(listing, question()),
    hold(listing, guidance) {
      if (listing.plain !== held.plain)
        listed = new Map(listing.plain.map((spec) => [spec.name, digestOf(plainSpec(spec))]))
      held = listing
      guided = new Map(guidance.map(({ from, text }) => [from, digestOf(text)]))
    },
    news: () =>
      newsOf({
        present: catalog.look(),
        seen: catalog.seen(),
        digestOf: (tool) => catalog.definitionOf(tool).digest,
        toldOf,
        isOffered: ({ name }) => ports.canSearch || listed.has(name),
        isLoaded: (tool) => isLoaded(catalog.definitionOf(tool).spec, held, told.referenced()),
        guidance: ports.guidance().filter(isNew),
        loading: ports.defers() ? "reference" : "words",
      }),
    callable: catalog.callable,
    offer: (tool) =>
      offerOf(catalog.definitionOf(tool).spec, {
        listing: held,
        referenced: told.referenced(),
        defers: ports.defers(),
      }),
  }
}

/** What of the late tools stands before the model from the beginning, and what is deferred until it is searched for. */

import type { ToolSpec } from "#agent/words/model.ts"
import { estimateTokens } from "#lib/tokens.ts"

/** The late tools of a request. Never changed: another listing is another value. */
export interface Listing {
  /** Listed like any other tool. */
  readonly plain: readonly ToolSpec[]
  /** Told of by name only. */
  readonly deferred: readonly ToolSpec[]
}

/**
 * How a tool that is searched for is given: it is before the model already, a result refers to it, or its definition
 * stands in words, because the one that the request holds is older or the provider cannot defer.
 */
export type Offer = "listed" | "reference" | "words"

export const nothingListed: Listing = { plain: [], deferred: [] }

/** With less than this of the window for all definitions together, they are listed plainly. */
const plainShare = 0.1

export interface ListingQuestion {
  /** Those that are there. */
  readonly present: readonly ToolSpec[]
  /** Those that results of the conversation refer to. */
  readonly referenced: ReadonlySet<string>
  /** Those that were used so far, the latest last. */
  readonly needed: ReadonlySet<string>
  /** What is known of a tool, be it there or not. */
  readonly known: (name: string) => ToolSpec | undefined
  /** The window of the model, in tokens. */
  readonly window: number
  /** Whether all that is there is listed plainly, however much it is. */
  readonly listsAll: boolean
  /** Whether what is deferred can be found again. */
  readonly canSearch: boolean
}

/** A listing from nothing: for a conversation that begins, or whose beginning was made again. */
export function beginListing(question: ListingQuestion): Listing {
  const { present, referenced, canSearch, listsAll } = question
  const room = question.window * plainShare
  const isWanted = !canSearch || listsAll || tokensOf(present) < room ? () => true : neededWithin(question, room)
  // What a result refers to is loaded already, and must stay deferred for the provider to take the reference.
  const plain = present.filter(({ name }) => !referenced.has(name) && isWanted(name))
  const rest = canSearch ? present.filter((spec) => !plain.includes(spec)) : []
  return withReferenced({ plain, deferred: rest.map(deferredOf) }, question)
}

/** The same listing, unless there is more to it: what was listed or loaded once stays as it was. */
export function extendListing(listing: Listing, question: ListingQuestion): Listing {
  const { present, referenced, canSearch } = question
  const now = new Map(present.map((spec) => [spec.name, spec]))
  const names = new Set([...listing.plain, ...listing.deferred].map(({ name }) => name))
  const fresh = (spec: ToolSpec): ToolSpec => {
    const other = referenced.has(spec.name) ? undefined : now.get(spec.name)
    return other === undefined || isSame(other, spec) ? spec : deferredOf(other)
  }
  const kept = listing.deferred.map(fresh)
  const added = canSearch ? present.filter(({ name }) => !names.has(name)).map(deferredOf) : []
  const isKept = added.length === 0 && kept.every((spec, index) => spec === listing.deferred[index])
  return withReferenced(isKept ? listing : { plain: listing.plain, deferred: [...kept, ...added] }, question)
}

const isSame = (a: ToolSpec, b: ToolSpec): boolean =>
  a === b ||
  (a.name === b.name &&
    a.description === b.description &&
    (a.input_schema === b.input_schema || JSON.stringify(a.input_schema) === JSON.stringify(b.input_schema)))

/** Whether a definition, as it is now, is before the model. */
export function isLoaded(spec: ToolSpec, listing: Listing, referenced: ReadonlySet<string>): boolean {
  const there = [...listing.plain, ...listing.deferred].find(({ name }) => name === spec.name)
  return there !== undefined && isSame(there, spec) && (!there.deferred || referenced.has(spec.name))
}

export function offerOf(
  spec: ToolSpec,
  {
    listing,
    referenced,
    defers,
  }: { readonly listing: Listing; readonly referenced: ReadonlySet<string>; readonly defers: boolean },
): Offer {
  const plain = listing.plain.find(({ name }) => name === spec.name)
  if (plain) return isSame(plain, spec) ? "listed" : "words"
  if (!defers) return "words"
  const deferred = listing.deferred.find(({ name }) => name === spec.name)
  return !deferred || !referenced.has(spec.name) || isSame(deferred, spec) ? "reference" : "words"
}

/** A provider refuses a reference to a tool that is not in the request. */
function withReferenced(listing: Listing, { referenced, known }: ListingQuestion): Listing {
  if (referenced.size === 0) return listing
  const names = new Set([...listing.plain, ...listing.deferred].map(({ name }) => name))
  const missing = [...referenced].filter((name) => !names.has(name)).flatMap((name) => known(name) ?? [])
  return missing.length === 0
    ? listing
    : { plain: listing.plain, deferred: [...listing.deferred, ...missing.map(deferredOf)] }
}

/** The latest of those that were used, as many as there is room for. */
function neededWithin({ present, needed }: ListingQuestion, room: number): (name: string) => boolean {
  const specs = new Map(present.map((spec) => [spec.name, spec]))
  const chosen = new Set<string>()
  let left = room
  for (const name of [...needed].toReversed()) {
    const spec = specs.get(name)
    const tokens = spec ? tokensOf([spec]) : 0
    if (!spec || tokens > left) continue
    chosen.add(name)
    left -= tokens
  }
  return (name) => chosen.has(name)
}

const tokensOf = (specs: readonly ToolSpec[]): number => estimateTokens(JSON.stringify(specs))

export const plainSpec = ({ name, description, input_schema }: ToolSpec): ToolSpec => ({
  name,
  description,
  input_schema,
})

const deferredOf = (spec: ToolSpec): ToolSpec => ({ ...plainSpec(spec), deferred: true })

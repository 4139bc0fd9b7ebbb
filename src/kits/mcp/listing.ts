/** Which late tools are in context from the beginning, and which are deferred until searched for. */

import type { ToolSpec } from "#agent/words/model.ts"
import { estimateTokens } from "#lib/tokens.ts"

/** The late tools of a request. Immutable: another listing is another value. */
export interface Listing {
  readonly plain: readonly ToolSpec[]
  /** Announced by name only. */
  readonly deferred: readonly ToolSpec[]
}

/**
 * How a tool found by search is given: it is already in context, a result refers to it, or its definition is given as text, because the one in the
 * request is outdated or the provider cannot defer.
 */
export type Offer = "listed" | "reference" | "words"

export const nothingListed: Listing = { plain: [], deferred: [] }

/** If all definitions together take less than this share of the window, they are listed in full. */
const plainShare = 0.1

export interface ListingQuestion {
  readonly present: readonly ToolSpec[]
  readonly referenced: ReadonlySet<string>
  readonly needed: ReadonlySet<string>
  readonly known: (name: string) => ToolSpec | undefined
  readonly window: number
  /** Whether all available tools are listed in full, however many. */
  readonly listsAll: boolean
  readonly canSearch: boolean
  /** What was wished for a tool: that it is listed, or deferred. */
  readonly wished: (name: string) => boolean | undefined
}

export function beginListing(question: ListingQuestion): Listing {
  const { present, referenced, canSearch, listsAll, wished } = question
  const room = question.window * plainShare
  const open = present.filter(({ name }) => wished(name) === undefined)
  const fits = tokensOf(open) < room ? () => true : neededWithin({ ...question, present: open }, room)
  const isWanted = !canSearch || listsAll ? () => true : (name: string): boolean => wished(name) ?? fits(name)
  // What a result refers to is already loaded, and must stay deferred for the provider to accept the reference.
  const plain = present.filter(({ name }) => !referenced.has(name) && isWanted(name))
  const rest = canSearch ? present.filter((spec) => !plain.includes(spec)) : []
  return withReferenced({ plain, deferred: rest.map(deferredOf) }, question)
}

/** The same listing, unless there is more: what was listed or loaded once stays unchanged. */
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

/** The most recently used tools, as many as fit. */
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

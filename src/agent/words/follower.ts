/** Observers that keep state folded from entries, and how they are told. */

import type { Entry } from "./entry.ts"

export interface Follower {
  /** Receives every entry of the log once, including those before a resume. */
  readonly take?: TakeEntry
  /** State folded from the current conversation only: told again when the conversation continues elsewhere. */
  readonly conversation?: ConversationFollower
}

export interface ConversationFollower {
  /** Forget everything: the entries of another conversation come next. */
  readonly reset: () => void
  readonly take: TakeEntry
  /** All entries of the other conversation were told. */
  readonly resume?: () => void
}

export interface TakeEntry {
  (entry: Entry): void
  /** What it is made of, if not everything it does is about every kind. */
  readonly parts?: readonly KindPart[]
}

export type EntryKind = Entry["kind"]

type Part = (entry: Entry) => void

/** A part with a table of kinds, or one that some kinds are not even told to. */
export type KindPart =
  | { readonly of: Readonly<Partial<Record<EntryKind, Part>>> }
  | { readonly of?: undefined; readonly passing: ReadonlySet<EntryKind>; readonly take: Part }

/** What is done with entries of each kind; others are not even told. */
export function byKind(of: { readonly [K in EntryKind]?: (entry: Entry & { readonly kind: K }) => void }): TakeEntry {
  const all = of as Readonly<Partial<Record<EntryKind, Part>>>
  return withParts((entry) => all[entry.kind]?.(entry), [{ of: all }])
}

/** Entries of these kinds are not even told. */
export const unless = (passing: ReadonlySet<EntryKind>, take: Part): TakeEntry =>
  withParts((entry) => void (passing.has(entry.kind) || take(entry)), [{ passing, take }])

/** Several as one. */
export const takeAll = (...all: readonly TakeEntry[]): TakeEntry =>
  withParts((entry) => all.forEach((one) => one(entry)), all.flatMap(partsOf))

function withParts(take: Part & { parts?: readonly KindPart[] }, parts: readonly KindPart[]): TakeEntry {
  // Faster than assigning an object, and a session makes many.
  take.parts = parts
  return take
}

const none: ReadonlySet<EntryKind> = new Set()

const partsOf = (take: TakeEntry): readonly KindPart[] => take.parts ?? [{ passing: none, take }]

/** What followers are made of, in their order. */
export function partsIn(followers: readonly Follower[]): readonly KindPart[] {
  const parts: KindPart[] = []
  for (const { take, conversation } of followers) {
    if (take) parts.push(...partsOf(take))
    if (conversation) parts.push(...partsOf(conversation.take))
  }
  return parts
}

/** What is done with entries of a kind. */
export function takersOf(parts: readonly KindPart[], kind: EntryKind): readonly Part[] {
  const takers: Part[] = []
  for (const part of parts) {
    const take = part.of ? part.of[kind] : part.passing.has(kind) ? undefined : part.take
    if (take) takers.push(take)
  }
  return takers
}

export function tell(followers: readonly Follower[], entry: Entry): void {
  for (const take of takersOf(partsIn(followers), entry.kind)) take(entry)
}

/** Entry by entry, as they happened: a follower may look at earlier ones. */
export function refold(followers: readonly Follower[], path: readonly Entry[]): void {
  const all = followers.flatMap(({ conversation }) => conversation ?? [])
  for (const one of all) one.reset()
  for (const entry of path) for (const one of all) one.take(entry)
  for (const one of all) one.resume?.()
}

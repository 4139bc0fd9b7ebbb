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
  /** What it does with entries of a kind, if it is made of parts. */
  readonly parts?: (kind: EntryKind) => readonly Part[]
}

export type EntryKind = Entry["kind"]

type Part = (entry: Entry) => void

/** What is done with entries of each kind; others are not even told. */
export function byKind(of: { readonly [K in EntryKind]?: (entry: Entry & { readonly kind: K }) => void }): TakeEntry {
  const all = of as Readonly<Partial<Record<EntryKind, Part>>>
  const take: Part = (entry) => all[entry.kind]?.(entry)
  const parts = (kind: EntryKind): readonly Part[] => [all[kind]].filter((part) => part !== undefined)
  return Object.assign(take, { parts })
}

/** Entries of these kinds are not even told. */
export function unless(passing: ReadonlySet<EntryKind>, take: Part): TakeEntry {
  const others: Part = (entry) => void (passing.has(entry.kind) || take(entry))
  return Object.assign(others, { parts: (kind: EntryKind) => (passing.has(kind) ? [] : [take]) })
}

/** Several as one. */
export function takeAll(...all: readonly TakeEntry[]): TakeEntry {
  const take: Part = (entry) => all.forEach((one) => one(entry))
  return Object.assign(take, { parts: (kind: EntryKind) => all.flatMap((one) => partsOf(one, kind)) })
}

const partsOf = (take: TakeEntry | undefined, kind: EntryKind): readonly Part[] =>
  take ? (take.parts?.(kind) ?? [take]) : []

/** What is done with entries of a kind, in the order of the followers. */
export const takersOf = (followers: readonly Follower[], kind: EntryKind): readonly Part[] =>
  followers.flatMap(({ take, conversation }) => [...partsOf(take, kind), ...partsOf(conversation?.take, kind)])

export function tell(followers: readonly Follower[], entry: Entry): void {
  for (const take of takersOf(followers, entry.kind)) take(entry)
}

/** Entry by entry, as they happened: a follower may look at earlier ones. */
export function refold(followers: readonly Follower[], path: readonly Entry[]): void {
  const all = followers.flatMap(({ conversation }) => conversation ?? [])
  for (const one of all) one.reset()
  for (const entry of path) for (const one of all) one.take(entry)
  for (const one of all) one.resume?.()
}

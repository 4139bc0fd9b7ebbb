/** Observers that keep state folded from entries, and how they are told. */

import type { Entry } from "./entry.ts"

export interface Follower {
  /** Receives every entry of the log once, including those before a resume. */
  readonly onEntry?: OnEntry
  /** State folded from the current conversation only: told again when the conversation continues elsewhere. */
  readonly conversation?: ConversationFollower
  /** All of the log was told: whatever comes now happens. */
  readonly onRead?: () => void
}

export interface ConversationFollower {
  /** Forget everything: the entries of another conversation come next. */
  readonly reset: () => void
  readonly onEntry: OnEntry
  /** All entries of the other conversation were told. */
  readonly resume?: () => void
}

export interface OnEntry {
  (entry: Entry): void
  /** What it is made of, if not everything it does is about every kind. */
  readonly parts?: readonly KindPart[]
}

export type EntryKind = Entry["kind"]

type Part = (entry: Entry) => void

/** A part with a table of kinds, or one that some kinds are not even told to. */
export type KindPart =
  | { readonly of: Readonly<Partial<Record<EntryKind, Part>>> }
  | { readonly of?: undefined; readonly passing: ReadonlySet<EntryKind>; readonly onEntry: Part }

/** What is done with entries of each kind; others are not even told. */
export function byKind(of: { readonly [K in EntryKind]?: (entry: Entry & { readonly kind: K }) => void }): OnEntry {
  const all = of as Readonly<Partial<Record<EntryKind, Part>>>
  return withParts((entry) => all[entry.kind]?.(entry), [{ of: all }])
}

/** Entries of these kinds are not even told. */
export const unless = (passing: ReadonlySet<EntryKind>, onEntry: Part): OnEntry =>
  withParts((entry) => void (passing.has(entry.kind) || onEntry(entry)), [{ passing, onEntry }])

/** Several as one. */
export const onEntryOfAll = (...all: readonly OnEntry[]): OnEntry =>
  withParts((entry) => all.forEach((one) => one(entry)), all.flatMap(partsOf))

function withParts(onEntry: Part & { parts?: readonly KindPart[] }, parts: readonly KindPart[]): OnEntry {
  // Faster than assigning an object, and a session makes many.
  onEntry.parts = parts
  return onEntry
}

const none: ReadonlySet<EntryKind> = new Set()

const partsOf = (onEntry: OnEntry): readonly KindPart[] => onEntry.parts ?? [{ passing: none, onEntry }]

/** What followers are made of, in their order. */
export function partsIn(followers: readonly Follower[]): readonly KindPart[] {
  const parts: KindPart[] = []
  for (const { onEntry, conversation } of followers) {
    if (onEntry) parts.push(...partsOf(onEntry))
    if (conversation) parts.push(...partsOf(conversation.onEntry))
  }
  return parts
}

/** What is done with entries of a kind. */
export function partsOfKind(parts: readonly KindPart[], kind: EntryKind): readonly Part[] {
  const found: Part[] = []
  for (const part of parts) {
    const onEntry = part.of ? part.of[kind] : part.passing.has(kind) ? undefined : part.onEntry
    if (onEntry) found.push(onEntry)
  }
  return found
}

export function notifyFollowers(followers: readonly Follower[], entry: Entry): void {
  for (const onEntry of partsOfKind(partsIn(followers), entry.kind)) onEntry(entry)
}

/** Entry by entry, as they happened: a follower may look at earlier ones. */
export function refold(followers: readonly Follower[], path: Iterable<Entry>): void {
  const all = followers.flatMap(({ conversation }) => conversation ?? [])
  for (const one of all) one.reset()
  for (const entry of path) for (const one of all) one.onEntry(entry)
  for (const one of all) one.resume?.()
}

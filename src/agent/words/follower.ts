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
  /** The only kinds of entries that it does something with. */
  readonly kinds?: readonly EntryKind[]
}

export type EntryKind = Entry["kind"]

/** What is done with entries of each kind; others are not even told. */
export function byKind(of: { readonly [K in EntryKind]?: (entry: Entry & { readonly kind: K }) => void }): TakeEntry {
  const all: Readonly<Partial<Record<EntryKind, (entry: never) => void>>> = of
  const take = (entry: Entry): void => all[entry.kind]?.(entry as never)
  return Object.assign(take, { kinds: Object.keys(of) as EntryKind[] })
}

/** Several as one. */
export function takeAll(...all: readonly TakeEntry[]): TakeEntry {
  const take = (entry: Entry): void => all.forEach((one) => one(entry))
  const kinds = all.every((one) => one.kinds) ? all.flatMap((one) => one.kinds ?? []) : undefined
  return kinds ? Object.assign(take, { kinds }) : take
}

/** Those who take entries of a kind, in the order in which they are told. */
export const takersOf = (followers: readonly Follower[], kind: EntryKind): readonly TakeEntry[] =>
  followers
    .flatMap(({ take, conversation }) => [...(take ? [take] : []), ...(conversation ? [conversation.take] : [])])
    .filter(({ kinds }) => kinds?.includes(kind) ?? true)

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

/** Whoever keeps something that is folded from entries, and how all of them are told. */

import type { Entry } from "./entry.ts"

export interface Follower {
  /** Hears every entry of the log once, also those of before a resume. */
  readonly take?: (entry: Entry) => void
  /** What is folded from the entries of the conversation alone: told again when it continues from another place. */
  readonly conversation?: ConversationFollower
}

export interface ConversationFollower {
  /** Forgets everything: the entries of another conversation come next. */
  readonly reset: () => void
  readonly take: (entry: Entry) => void
  /** All entries of the other conversation were told. */
  readonly resume?: () => void
}

export function tell(followers: readonly Follower[], entry: Entry): void {
  for (const { take, conversation } of followers) {
    take?.(entry)
    conversation?.take(entry)
  }
}

/** Entry by entry, as when they happened: a follower may look at those before it. */
export function refold(followers: readonly Follower[], path: readonly Entry[]): void {
  const all = followers.flatMap(({ conversation }) => conversation ?? [])
  for (const one of all) one.reset()
  for (const entry of path) for (const one of all) one.take(entry)
  for (const one of all) one.resume?.()
}

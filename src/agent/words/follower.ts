/** Observers that keep state folded from entries, and how they are told. */

import type { Entry } from "./entry.ts"

export interface Follower {
  /** Receives every entry of the log once, including those before a resume. */
  readonly take?: (entry: Entry) => void
  /** State folded from the current conversation only: told again when the conversation continues elsewhere. */
  readonly conversation?: ConversationFollower
}

export interface ConversationFollower {
  /** Forget everything: the entries of another conversation come next. */
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

/** Entry by entry, as they happened: a follower may look at earlier ones. */
export function refold(followers: readonly Follower[], path: readonly Entry[]): void {
  const all = followers.flatMap(({ conversation }) => conversation ?? [])
  for (const one of all) one.reset()
  for (const entry of path) for (const one of all) one.take(entry)
  for (const one of all) one.resume?.()
}

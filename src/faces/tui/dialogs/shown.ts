/** What a dialog shows, in parts: so that each can be given its place on the screen. */

export interface Shown {
  readonly question: readonly string[]
  /** Scrolls if it is taller than the screen. */
  readonly thing: readonly string[]
  /** The row of it to begin with where not all of it fits. */
  readonly startsAt?: number
  /** Explains the thing: the first to give way where there is little room. */
  readonly details?: readonly string[]
  /** Alarms, risks, and the reason. */
  readonly notes: readonly string[]
  readonly answers: readonly string[]
  readonly hint: string
}

/** What a dialog shows, in parts: so that each can be given its place on the screen. */

export interface Shown {
  readonly question: readonly string[]
  /** What the question is about; it can be scrolled when it is taller than the screen. */
  readonly thing: readonly string[]
  /** What to know before answering: alarms, risks, the reason. */
  readonly notes: readonly string[]
  readonly answers: readonly string[]
  readonly hint: string
}

/**
 * What an allowed call is confined to. It is part of the decision, so that no judgement can lose the confinement it
 * relied on.
 * See decision 103.
 */

export type Boundary = UserBoundary | JudgedBoundary

/** The user decided, by an answer, a rule, a hook or a mode: it runs as their settings say. */
export interface UserBoundary {
  readonly by: "user"
  /** It runs outside the sandbox although that is on. */
  readonly outside?: true
  /** Parts of the command line that no rule names; each is confined by itself. */
  readonly parts?: readonly ConfinedPart[]
}

/** What a judged command has to see so that its answers are true. */
export interface JudgedView {
  /** It asks about processes, sockets or interfaces, so it sees those of the machine. */
  readonly machine?: true
  /** All that it asks of git are its settings, so none are forced. */
  readonly ownGitSettings?: true
  /** It asks whether something outside the workspace exists, and opens nothing by itself: it sees all but secrets. */
  readonly wholeDisk?: true
}

/** Nobody was asked: it can do what it was judged to do, and nothing else. */
export interface JudgedBoundary extends JudgedView {
  readonly by: "judgement"
  /** Absolute paths that it may create, change or remove; nothing can be written when empty. */
  readonly writes: readonly string[]
  /** Absolute paths outside the workspace that rules allow it to read. */
  readonly reads: readonly string[]
  /** The judgement counts on being enforced: where that is not possible, nothing runs. */
  readonly mustHold: boolean
}

export interface ConfinedPart {
  /** Where the name of its program is in the command line. */
  readonly at: number
  /** Variables set for it that may keep their values. */
  readonly variables: readonly string[]
  readonly boundary: JudgedBoundary
}

export const byUser: UserBoundary = { by: "user" }

export const onlyReading = (boundary: Boundary | undefined): boolean =>
  boundary?.by === "judgement" && boundary.writes.length === 0

/** What every stage of one analysis shares: the text, the place, and where doubts and findings go. */

import type { Command, CommandNode, ParsedScript, SyntaxNode } from "unbash"
import type { ShellPlace, Segment } from "./analysis.ts"
import type { Gap } from "./gaps.ts"
import type { Listing } from "./listing.ts"
import type { Flow, State } from "./state.ts"

/** What a script would print, if known. */
export interface Printed {
  readonly text?: string
  readonly listing?: Listing
  /**
   * One word that is not a flag; `fresh`: the path of a temporary file or folder that it has just created; `branch`: the
   * name of the current branch.
   */
  readonly prints?: "number" | "token" | "fresh" | "branch"
}

export interface Reading {
  readonly source: string
  readonly place: ShellPlace
  readonly gap: Gap
  /** Something is not understood; the rest is still read for deny rules. */
  readonly doubt: (why: string) => void
  readonly reach: (command: Command) => void
  readonly add: (segment: Segment) => void
  /** Whether the budget is spent: the rest is not analysed. */
  readonly isSpent: () => boolean
  /** Whether another round of a loop may be followed; nested loops would take forever. */
  readonly mayRepeat: () => boolean
  /** Walks a script inside a word in its own shell, and returns what it would print. */
  readonly inner: (script: ParsedScript, state: State) => Printed
  /** `break` and `continue`: the enclosing loop continues, or ends, with this state. */
  readonly stop: (state: State) => void
  /** The states in which a walk stopped a loop. */
  readonly stopsIn: (walk: () => void) => readonly State[]
  readonly body: (command: CommandNode, state: State) => Flow
  /** The parts of a script that another program would run, for deny rules only. */
  readonly behind: (script: string, state: State) => readonly Segment[]
  /** Walks all commands below a node that is not understood. */
  readonly salvage: (node: SyntaxNode) => void
}

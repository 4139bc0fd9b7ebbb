/** What a table says about a deed that cannot be taken back. */

import type { Loss } from "#ground/workspace/shell/analysis.ts"

/** One entry: the program, the words that follow it in this order, and any one of the flags or operands. */
export interface Deed {
  readonly program: RegExp
  readonly words?: readonly string[]
  /** At least one of these must be given; a long flag also counts when it is shortened. */
  readonly flags?: readonly string[]
  /** At least one word must look like this. */
  readonly operand?: RegExp
  /** None of these may be given: they make it a rehearsal. */
  readonly without?: readonly string[]
  readonly what: string
  readonly risk: string
  /** What of it can be counted beforehand. */
  readonly loses?: Loss
}

/** What a table says about an action that cannot be undone. */

import type { Loss } from "#ground/workspace/shell/analysis.ts"

/** The program, the words that follow it in this order, and any one of the flags or operands. */
export interface DestructiveAction {
  /** Names with spaces between them; `mkfs.*` means every name that starts with `mkfs.`. */
  readonly program: string
  readonly words?: readonly string[]
  /** At least one of these must be given; an abbreviated long flag counts too. */
  readonly flags?: readonly string[]
  /** At least one word must match. */
  readonly operand?: RegExp
  /** At least so many words that are no flags. */
  readonly operands?: number
  /** No word may match: then it is about something else. */
  readonly unless?: RegExp
  /** None of these may be given: they make it a dry run. */
  readonly without?: readonly string[]
  readonly what: string
  readonly risk: string
  /** What of it can be counted beforehand. */
  readonly loses?: Loss
}

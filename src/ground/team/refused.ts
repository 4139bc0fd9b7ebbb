/** Rolls the transaction back and comes out as a failure. */

import type { TaskFailure } from "#agent/words/team.ts"

export class Refused extends Error {
  readonly failure: TaskFailure

  constructor(failure: TaskFailure) {
    super(failure.kind)
    this.failure = failure
  }
}

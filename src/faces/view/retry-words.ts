/** A request that is tried again, in words. */

import type { Retry } from "#agent/words/model.ts"

export const retryWords = ({ attempt, of, delayMs, failure }: Retry): string =>
  `${failure.message} Retrying in ${Math.ceil(delayMs / 1000)} s (${attempt} of ${of - 1}).`

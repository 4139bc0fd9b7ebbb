/** How it is said that a tool has changed since it was allowed. */

import type { FileDiff } from "#agent/words/display.ts"

export const changeHeading = ({ created }: Pick<FileDiff, "created">): string =>
  created
    ? "This tool has changed since you allowed it. The earlier version is not known; this is the current one:"
    : "This tool has changed since you allowed it:"

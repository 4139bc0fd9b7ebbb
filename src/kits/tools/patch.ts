/** A change in the form that programs read. */

import type { Hunk } from "#lib/diff.ts"
import type { JsonObject } from "#lib/json.ts"

const longestOriginal = 1_000_000

/** The patch and the original. A very long original is left out: every result goes into the log. */
export function patchData(hunks: readonly Hunk[], original: string | null): JsonObject {
  return {
    structuredPatch: hunks.map((hunk) => ({ ...hunk })),
    originalFile: original === null || original.length > longestOriginal ? null : original,
    userModified: false,
  }
}

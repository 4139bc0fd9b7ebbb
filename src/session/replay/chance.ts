/** Randomness that repeats what happened in a session: plan names come out the same, the rest is derived from the id. */

import type { Entry } from "#agent/words/entry.ts"
import { chancesOfSlug } from "#kits/plan/slug.ts"
import { type Ids, seededIds } from "#lib/ids.ts"

export function openSameChance(sessionId: string, original: readonly Entry[]): Ids {
  const ids = seededIds(Number(Bun.hash.crc32(sessionId)))
  const draws = original.flatMap((entry) =>
    entry.kind === "plan" && entry.change === "named" ? chancesOfSlug(entry.slug) : [],
  )
  return { ...ids, random: () => draws.shift() ?? ids.random() }
}

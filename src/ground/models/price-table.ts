/** Looks up a price by the name of a model. */

import type { Price } from "#agent/words/price.ts"
import { withoutDate } from "./model-table.ts"
import { isRelease } from "./model-id.ts"

/** By release or by full id. */
export type PriceTable = { readonly [model: string]: Price }

/** For the exact id, or the release it names; never guessed. */
export function findPrice(table: PriceTable, id: string): Price | undefined {
  const exact = Object.hasOwn(table, id) ? table[id] : undefined
  if (exact) return exact
  // The longest name that fits is the nearest release.
  const fitting = Object.keys(table).filter((release) => names(id, release.toLowerCase()))
  const nearest = fitting.sort((a, b) => b.length - a.length)[0]
  return nearest === undefined ? undefined : table[nearest]
}

/** Claude's ids get prefixes and suffixes in clouds; of any other model only a date is added, since `-mini` is another. */
const names = (id: string, release: string): boolean =>
  release.includes("claude") ? isRelease(id, release) : withoutDate(id.toLowerCase()) === release

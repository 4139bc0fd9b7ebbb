/** What providers want back with what they said, in whichever shape: the strings by which it is known in a request. */

import type { Entry } from "#agent/words/entry.ts"
import { isObject, type JsonValue } from "#lib/json.ts"

export const proofsIn = (entries: readonly Entry[], isWanted: (provider: string) => boolean): readonly string[] =>
  entries.flatMap((entry) =>
    entry.kind === "reply" && "proof" in entry.block && entry.block.proof && isWanted(entry.block.proof.by)
      ? stringsIn(entry.block.proof.value)
      : [],
  )

/** Short ones may be anywhere. */
function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return value.length > 8 ? [value] : []
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : []
}

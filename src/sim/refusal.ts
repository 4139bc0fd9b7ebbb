/** The form of strict checks: a sentence that starts with the location, or nothing. */

import type { JsonObject } from "#lib/json.ts"

/** Undefined when the request is accepted. */
export type Refusal = string | undefined

export const refuse = (place: string, why: string): string => `${place}: ${why}`

/** Later checks do not run. */
export function firstRefusal(checks: Iterable<() => Refusal>): Refusal {
  for (const check of checks) {
    const refusal = check()
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Rejects fields the API does not know. */
export function checkFields(thing: JsonObject, place: string, known: readonly string[]): Refusal {
  const extra = Object.keys(thing).find((field) => !known.includes(field))
  return extra === undefined ? undefined : refuse(place === "" ? extra : `${place}.${extra}`, "unknown field")
}

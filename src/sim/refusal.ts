/** How strict checks speak: a sentence that begins with the place, or nothing. */

import type { JsonObject } from "#lib/json.ts"

/** Why a request is refused; undefined when it is not. */
export type Refusal = string | undefined

/** A refusal with its place first. */
export const refuse = (place: string, why: string): string => `${place}: ${why}`

/** The first refusal of several checks; later ones do not run. */
export function firstRefusal(checks: Iterable<() => Refusal>): Refusal {
  for (const check of checks) {
    const refusal = check()
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Whether a thing has only fields the API knows. */
export function checkFields(thing: JsonObject, place: string, known: readonly string[]): Refusal {
  const extra = Object.keys(thing).find((field) => !known.includes(field))
  return extra === undefined ? undefined : refuse(place === "" ? extra : `${place}.${extra}`, "unknown field")
}

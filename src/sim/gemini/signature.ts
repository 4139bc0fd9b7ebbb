/** Thought signatures: each belongs to the part that it came with, and is refused on any other. */

import { isObject, type JsonObject } from "#lib/json.ts"

const prefix = "sim."

/** What Google accepts instead, for calls that another model made. */
const standIns: readonly string[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]

export const signPart = (part: JsonObject): string => btoa(`${prefix}${Bun.hash(signedOf(part)).toString(36)}`)

export const isSigned = (part: JsonObject): boolean =>
  part.thoughtSignature === signPart(part) ||
  (part.functionCall !== undefined && standIns.includes(String(part.thoughtSignature)))

/** Not the id of a call: a client may use another. */
function signedOf({ text, functionCall }: JsonObject): string {
  const { name, args } = isObject(functionCall) ? functionCall : {}
  return JSON.stringify([text ?? null, name ?? null, args ?? null])
}

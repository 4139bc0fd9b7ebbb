/**
 * Thought signatures: what the model was thinking, encrypted, on some part of its answer. Google wants each back on the
 * part it came with. Our blocks join parts, so a proof says which stretch of the block was a signed part.
 */

import type { Proof } from "#agent/words/message.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface SignedPart {
  readonly start: number
  readonly end: number
  readonly signature: string
  /** A part of the answer that came in the midst of thoughts. */
  readonly plain?: true
}

export const proofOfParts = (by: string, parts: readonly SignedPart[]): Proof => ({
  by,
  value: { parts: parts.map((part) => ({ ...part })) },
})

/** Of a call, which is a part by itself. */
export const proofOfCall = (by: string, signature: string): Proof => ({ by, value: { signature } })

/** For calls that another model made: Google says to put this where a signature is missing. */
const otherModels = "skip_thought_signature_validator"

/** The signature of a call, if this provider made it. */
export function callSignature(proof: Proof | undefined, by: string): string | undefined {
  const value = proof?.by === by ? proof.value : undefined
  return isObject(value) && typeof value.signature === "string" ? value.signature : undefined
}

/** Each answer must sign the first of its calls; models before the third generation do not ask for it. */
export const standIn = (asks: boolean): JsonObject => (asks ? { thoughtSignature: otherModels } : {})

/** The text as the parts it came in, as far as they matter. */
export function textParts(text: string, proof: Proof | undefined, by: string): readonly JsonObject[] {
  const parts: JsonObject[] = []
  const plain = (from: number, to?: number): void => {
    const rest = text.slice(from, to)
    if (rest !== "") parts.push({ text: rest })
  }
  let at = 0
  for (const { start, end, signature } of signedParts(proof, by)) {
    plain(at, start)
    parts.push({ text: text.slice(start, end), thoughtSignature: signature })
    at = end
  }
  plain(at)
  return parts
}

/** Thoughts go back only as far as they are signed: what else was shown is a summary. */
export const thoughtParts = (thinking: string, proof: Proof | undefined, by: string): readonly JsonObject[] =>
  signedParts(proof, by).map(({ start, end, signature, plain }) =>
    plain
      ? { text: "", thoughtSignature: signature }
      : { text: thinking.slice(start, end), thought: true, thoughtSignature: signature },
  )

function signedParts(proof: Proof | undefined, by: string): readonly SignedPart[] {
  const value = proof?.by === by ? proof.value : undefined
  if (!isObject(value) || !Array.isArray(value.parts)) return []
  return value.parts.flatMap((part: JsonValue): SignedPart[] => {
    if (!isObject(part)) return []
    const { start, end, signature, plain } = part
    if (typeof start !== "number" || typeof end !== "number" || typeof signature !== "string") return []
    return [{ start, end, signature, ...(plain === true && { plain }) }]
  })
}

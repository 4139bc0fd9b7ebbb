/** Whether Anthropic accepts a key. It is asked for its list of models, which costs nothing. */

import { networkWords } from "#ground/models/network-words.ts"
import { apiVersion } from "./headers.ts"
import { anthropicAddress } from "./provider.ts"

/** `unknown`: no answer that says anything about the key. The words are a sentence. */
export type KeyVerdict =
  { readonly kind: "accepted" } | { readonly kind: "rejected" | "unknown"; readonly message: string }

export async function checkKey(
  apiKey: string,
  signal: AbortSignal,
  address: string = anthropicAddress,
): Promise<KeyVerdict> {
  try {
    // A redirect would carry the key to wherever it points.
    const { status, ok } = await fetch(`${address}/v1/models?limit=1`, {
      headers: { "x-api-key": apiKey, "anthropic-version": apiVersion },
      signal,
      redirect: "manual",
    })
    if (ok) return { kind: "accepted" }
    if (status === 401 || status === 403)
      return { kind: "rejected", message: `Anthropic rejected this key (${status}).` }
    return { kind: "unknown", message: `Anthropic could not check the key (${status}).` }
  } catch (error) {
    const why = signal.aborted ? "no answer came in time" : networkWords(error)
    return { kind: "unknown", message: `Anthropic could not be reached: ${why}.` }
  }
}

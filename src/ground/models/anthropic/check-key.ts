/** Whether Anthropic, or a gateway that speaks like it, accepts a key: it is asked for its list of models, which costs nothing. */

import type { KeyHeaders } from "#ground/models/credential.ts"
import { networkWords } from "#ground/models/network-words.ts"
import { apiVersion } from "./messages.ts"
import { anthropicAddress, hostOf } from "./provider.ts"
import type { Network } from "#lib/network.ts"

/** `unknown`: it answered, which says nothing about the key. `unreachable`: it did not answer. The words are a sentence. */
export type KeyVerdict =
  { readonly kind: "accepted" } | { readonly kind: "rejected" | "unknown" | "unreachable"; readonly message: string }

const keyPurpose = { why: "key", name: "anthropic", chosenBy: "user" } as const

export async function checkKey(
  key: KeyHeaders,
  signal: AbortSignal,
  network: Network,
  address: string = anthropicAddress,
): Promise<KeyVerdict> {
  const who = address === anthropicAddress ? "Anthropic" : hostOf(address)
  try {
    // A redirect would carry the key to wherever it points.
    const { status, ok } = await network.fetch(keyPurpose, `${address.replace(/\/$/, "")}/v1/models?limit=1`, {
      headers: { ...key, "anthropic-version": apiVersion },
      signal,
      redirect: "manual",
    })
    if (ok) return { kind: "accepted" }
    if (status === 401 || status === 403) return { kind: "rejected", message: `${who} rejected this key (${status}).` }
    return { kind: "unknown", message: `${who} could not check the key (${status}).` }
  } catch (error) {
    const why = signal.aborted ? "no answer came in time" : networkWords(error)
    return { kind: "unreachable", message: `${who} could not be reached: ${why}.` }
  }
}

/** Whether Anthropic, or a gateway that speaks like it, accepts a key. */

import { type AskedServer, checkKey, type KeyFetch, type KeyVerdict } from "#ground/models/ask-server.ts"
import type { KeyHeaders } from "#ground/models/credential.ts"
import type { Certificate } from "#ground/models/wire.ts"
import { apiVersion } from "./messages.ts"
import { anthropicAddress, hostOf } from "./provider.ts"

export function checkAnthropicKey(
  key: KeyHeaders,
  signal: AbortSignal,
  fetch: KeyFetch,
  address: string = anthropicAddress,
  certificate?: Certificate,
): Promise<KeyVerdict> {
  const server: AskedServer = {
    who: address === anthropicAddress ? "Anthropic" : hostOf(address),
    url: `${address.replace(/\/$/, "")}/v1/models?limit=1`,
    headers: { ...key, "anthropic-version": apiVersion },
    ...(certificate && { certificate }),
    fetch,
  }
  return checkKey(server, signal)
}

/** Whether Anthropic, or a gateway that speaks like it, accepts a key. */

import { type AskedServer, checkKey, type SendRequest, type KeyVerdict } from "#ground/models/ask-server.ts"
import type { KeyHeaders } from "#ground/models/credential.ts"
import { apiVersion } from "./messages.ts"
import { anthropicAddress, hostOf } from "./provider.ts"

export function checkAnthropicKey(
  key: KeyHeaders,
  signal: AbortSignal,
  send: SendRequest,
  address: string = anthropicAddress,
): Promise<KeyVerdict> {
  const server: AskedServer = {
    who: address === anthropicAddress ? "Anthropic" : hostOf(address),
    url: `${address.replace(/\/$/, "")}/v1/models?limit=1`,
    headers: { ...key, "anthropic-version": apiVersion },
    send,
  }
  return checkKey(server, signal)
}

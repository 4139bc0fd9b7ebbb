/** Network errors in plain words: the runtime's messages are meant for programmers. */

import { certificateWords } from "#lib/connection-words.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  EPROTO: "the TLS handshake failed",
  ETIMEDOUT: "the connection timed out",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the host name could not be looked up",
  ENETUNREACH: "network unreachable",
  EHOSTUNREACH: "host unreachable",
  InvalidHTTPResponse: "invalid HTTP response",
}

/** Falls back to the error's own message, which may contain an address with a password. */
export function networkWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  const own = error.message.replace(/\.? For more information, pass .*$/s, "").replace(/\.$/, "")
  return (code === undefined ? undefined : (words[code] ?? certificateWords[code])) ?? maskSecrets(own)
}

/** Why a connection failed, in plain words: the runtime's messages are meant for programmers. */

import { codeOf } from "./error-code.ts"

/** Falls back to the error's own message. */
export function connectionWords(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return words[code] ?? certificateWords[code] ?? (code.startsWith("HPE_") ? "invalid HTTP response" : error.message)
}

const unknownSigner = "its certificate is not trusted; if your company issued it, set NODE_EXTRA_CA_CERTS to its file"

/** For every connection, whoever makes it. */
export const certificateWords: { readonly [code: string]: string } = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clock of this machine",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to its file",
  SELF_SIGNED_CERT_IN_CHAIN: unknownSigner,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownSigner,
  UNABLE_TO_GET_ISSUER_CERT: unknownSigner,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownSigner,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for a different host name",
}

/** Whether trying again cannot help before somebody changes something: a certificate, a setting, a password. */
export const isLasting = (error: unknown): boolean =>
  error instanceof Error && (("isLasting" in error && error.isLasting === true) || codeOf(error) in certificateWords)

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  ENETUNREACH: "network unreachable",
  EHOSTUNREACH: "host unreachable",
  EADDRNOTAVAIL: "network unreachable",
  HPE_HEADER_OVERFLOW: "its response headers are too long",
}

/** The headers of a request: ours, the key's, and those the user adds. */

import type { KeyHeaders } from "#ground/models/credential.ts"

export const apiVersion = "2026-10-21"

/** All headers of a request; there are no others. */
export function headersFor(betas: readonly string[], key: KeyHeaders, added: KeyHeaders): Headers {
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/json",
    "anthropic-version": apiVersion,
    "user-agent": "codewright",
    ...key,
  })
  for (const [name, value] of Object.entries(added)) headers.set(name, value)
  // Beta features add up: a header set by the user does not remove those the model needs.
  for (const beta of betas) headers.append("anthropic-beta", beta)
  return headers
}

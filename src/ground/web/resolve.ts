/** Resolves a host name once. */

import { failed, ok, type Result } from "#lib/result.ts"

/** The preferred addresses come first; a failure says why there are none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>

/** Asks the system, so that its hosts file and name services count. */
export const systemResolve: Resolve = (host, signal) =>
  new Promise((resolve) => {
    const stop = (): void => resolve(failed("interrupted"))
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    // A lookup cannot be called back; when the signal aborts, its answer is not waited for.
    void import("node:dns/promises")
      .then(({ lookup }) => lookup(host, { all: true }))
      .then(
        (found) => resolve(ok(found.map(({ address }) => address))),
        (error: unknown) => resolve(failed(lookupWords(error))),
      )
      .finally(() => signal.removeEventListener("abort", stop))
  })

function lookupWords(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOTFOUND" || code === "ENODATA") return "no such name"
  if (code === "EAI_AGAIN" || code === "ETIMEOUT") return "the name servers do not answer"
  return error instanceof Error ? error.message : String(error)
}

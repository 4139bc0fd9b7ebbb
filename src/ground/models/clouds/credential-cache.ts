/** Credentials that expire: read when first needed, kept until shortly before their end. */

import type { Clock } from "#lib/clock.ts"
import { failed, type Result } from "#lib/result.ts"

export interface CredentialCache<T> {
  readonly get: (signal: AbortSignal) => Promise<Result<T, string>>
  /** Reads them again, whatever is kept. */
  readonly refresh: (signal: AbortSignal) => Promise<Result<T, string>>
  /** What is kept now. */
  readonly kept: () => T | undefined
}

/** They are read again so long before their end, so that no request is on its way when it comes. */
const marginMs = 2 * 60_000

/** `why` says whether others were just refused. A failure is a sentence, and never thrown. */
export function openCredentialCache<T extends { readonly expiresAt?: number }>(
  read: (why: "needed" | "refused") => Promise<Result<T, string>>,
  clock: Clock,
): CredentialCache<T> {
  let kept: T | undefined
  let reading: Promise<Result<T, string>> | undefined

  const start = async (why: "needed" | "refused"): Promise<Result<T, string>> => {
    try {
      const got = await read(why)
      if (got.ok) kept = got.value
      return got
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error))
    } finally {
      reading = undefined
    }
  }
  // Requests that run at once share one reading. It is short, and others may wait for it, so none of them ends it.
  const share = (why: "needed" | "refused", signal: AbortSignal): Promise<Result<T, string>> =>
    unlessAborted((reading ??= start(why)), signal)
  const isFresh = ({ expiresAt }: T): boolean => expiresAt === undefined || clock.now() < expiresAt - marginMs

  return {
    get: (signal) => (kept && isFresh(kept) ? Promise.resolve({ ok: true, value: kept }) : share("needed", signal)),
    refresh(signal) {
      kept = undefined
      return share("refused", signal)
    },
    kept: () => kept,
  }
}

function unlessAborted<T>(promise: Promise<Result<T, string>>, signal: AbortSignal): Promise<Result<T, string>> {
  if (signal.aborted) return Promise.resolve(failed("Interrupted."))
  const aborted = Promise.withResolvers<Result<T, string>>()
  const abort = (): void => aborted.resolve(failed("Interrupted."))
  signal.addEventListener("abort", abort)
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort))
}

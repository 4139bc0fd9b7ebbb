/** Posts batches to a collector: tries again what may work later, and says why it gave up. */

import type { Clock } from "#lib/clock.ts"
import { connectionWords } from "#lib/connection-words.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { Network, Purpose } from "#lib/network.ts"
import type { Result } from "#lib/result.ts"
import type { BatchEnd } from "./queue.ts"

export interface HttpSinkOptions {
  readonly url: string
  /** Read for each batch: a helper may renew them. */
  readonly headers: () => Promise<Result<{ readonly [name: string]: string }, string>>
  readonly compression: "gzip" | "none"
  readonly timeoutMs: number
  readonly network: () => Network
  readonly clock: Clock
  readonly ids: Ids
}

export type SendText = (text: string, signal: AbortSignal, hurry: AbortSignal) => Promise<BatchEnd>

export const telemetryPurpose: Purpose = { why: "telemetry", chosenBy: "user" }

const attempts = 5
const firstPauseMs = 1_000
const longestPauseMs = 30_000
const mostAnswerBytes = 64_000

type Attempt = BatchEnd | { readonly kind: "again"; readonly why: string; readonly afterMs?: number }

export function openHttpSink(options: HttpSinkOptions): SendText {
  const { clock, ids } = options
  return async (text, signal, hurry) => {
    const body = options.compression === "gzip" ? Bun.gzipSync(Buffer.from(text)) : text
    let why = ""
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const isLast = hurry.aborted
      const tried = await once(body, options, signal)
      if (tried.kind !== "again") return tried
      why = tried.why
      if (isLast || signal.aborted) break
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * (0.8 + 0.4 * ids.random())
      // At the end there is time for one more attempt, but not to wait for it.
      await clock.sleep(Math.min(longestPauseMs, tried.afterMs ?? pause), AbortSignal.any([signal, hurry]))
    }
    return { kind: "lost", why }
  }
}

async function once(
  body: string | Uint8Array<ArrayBuffer>,
  options: HttpSinkOptions,
  signal: AbortSignal,
): Promise<Attempt> {
  const { url, compression, timeoutMs, network, clock } = options
  const own = await options.headers()
  if (!own.ok) return { kind: "again", why: own.failure }
  const late = new AbortController()
  const cancel = clock.after(timeoutMs, () => late.abort())
  try {
    const response = await network().fetch(telemetryPurpose, url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(compression === "gzip" && { "content-encoding": "gzip" }),
        ...own.value,
      },
      body,
      // Prompts could go elsewhere than the user chose.
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
    })
    return await judge(response, clock.now())
  } catch (error) {
    const why = late.signal.aborted
      ? `no answer within ${timeoutMs / 1000} s`
      : connectionWords(error instanceof Error ? error : new Error(String(error)))
    return { kind: "again", why }
  } finally {
    cancel()
  }
}

const worthRetrying: ReadonlySet<number> = new Set([429, 502, 503, 504])

async function judge(response: Response, now: number): Promise<Attempt> {
  const { status, headers } = response
  const text = await beginningOf(response)
  if (status >= 200 && status < 300) return partial(text)
  const why = `it answered ${status}${status >= 300 && status < 400 ? `, a redirect to ${headers.get("location") ?? "nowhere"}` : ""}`
  if (!worthRetrying.has(status)) return { kind: "lost", why }
  const afterMs = retryAfter(headers.get("retry-after"), now)
  return { kind: "again", why, ...(afterMs !== undefined && { afterMs }) }
}

/** Of a success the collector may still have refused a part. */
function partial(text: string): BatchEnd {
  const said = objectIn(text)?.partialSuccess
  if (!isObject(said)) return { kind: "delivered" }
  const { rejectedSpans, rejectedDataPoints, rejectedLogRecords, errorMessage } = said
  const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords ?? 0)
  const why = typeof errorMessage === "string" && errorMessage !== "" ? errorMessage.slice(0, 300) : "no reason given"
  return rejected > 0 ? { kind: "delivered", rejected, why: `rejected: ${why}` } : { kind: "delivered" }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Seconds, or a date. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return ""
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece)
    size += piece.length
    if (size > mostAnswerBytes) break
  }
  return new TextDecoder().decode(Buffer.concat(pieces))
}

/** How long a provider asks to wait, read from a refusal: each says it in its own way. */

import { isObject, type JsonObject } from "#lib/json.ts"

export interface ReadHeaders {
  readonly get: (name: string) => string | null
}

/** In milliseconds; undefined when no sensible wait was asked for. */
export function askedWait(headers: ReadHeaders, now: number): number | undefined {
  return (
    positive(numberIn(headers.get("retry-after-ms"))) ??
    positive(numberIn(headers.get("x-ms-retry-after-ms"))) ??
    positive(seconds(numberIn(headers.get("retry-after")))) ??
    positive(until(headers.get("retry-after"), now)) ??
    resetWait(headers, now)
  )
}

const anthropicBuckets = ["requests", "tokens", "input-tokens", "output-tokens"]
const openaiBuckets = ["requests", "tokens", "requests-day", "tokens-minute", "input-tokens", "output-tokens"]

/** Without a plain `retry-after`, exhausted limits say when they reset; the last of them counts. */
function resetWait(headers: ReadHeaders, now: number): number | undefined {
  const unified = numberIn(headers.get("anthropic-ratelimit-unified-reset"))
  const waits = [
    unified === undefined ? undefined : positive(unified * 1000 - now),
    ...anthropicBuckets.map((bucket) =>
      headers.get(`anthropic-ratelimit-${bucket}-remaining`) === "0"
        ? positive(until(headers.get(`anthropic-ratelimit-${bucket}-reset`), now))
        : undefined,
    ),
    ...openaiBuckets.map((bucket) =>
      headers.get(`x-ratelimit-remaining-${bucket}`) === "0"
        ? reset(headers.get(`x-ratelimit-reset-${bucket}`), now)
        : undefined,
    ),
    ...["x-ratelimit", "ratelimit"].map((prefix) =>
      headers.get(`${prefix}-remaining`) === "0" ? reset(headers.get(`${prefix}-reset`), now) : undefined,
    ),
  ]
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** A span (`6m0s`, `120ms`, plain seconds), a moment in seconds or milliseconds since the epoch, or a date. */
function reset(text: string | null, now: number): number | undefined {
  const value = numberIn(text)
  if (value === undefined) return positive(span(text ?? "") ?? until(text, now))
  if (value > 1e11) return positive(value - now)
  return value > 1e9 ? positive(value * 1000 - now) : positive(value * 1000)
}

const unitMs: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function span(text: string): number | undefined {
  const plain = text.trim()
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(plain)) return undefined
  return [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
    (sum, [, value = "0", unit = "s"]) => sum + Number(value) * (unitMs[unit] ?? 0),
    0,
  )
}

/** Google puts it among the details of the error, OpenAI into its message. */
export function waitInBody({ details, message }: JsonObject): number | undefined {
  for (const detail of Array.isArray(details) ? details : [])
    if (isObject(detail) && String(detail["@type"]).endsWith("RetryInfo") && typeof detail.retryDelay === "string")
      return positive(span(detail.retryDelay))
  const said =
    typeof message === "string"
      ? /\b(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|[smh]))+)(?=[.\s]|$)/i.exec(message)
      : null
  return said ? positive(span(said[1] ?? "")) : undefined
}

function numberIn(text: string | null): number | undefined {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined
  return Number(text)
}

function until(text: string | null, now: number): number | undefined {
  if (text === null || numberIn(text) !== undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at - now
}

const seconds = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000)

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value > 0 ? Math.ceil(value) : undefined

/** How long a provider asks to wait, read from the headers of a refusal. */

export interface ReadHeaders {
  readonly get: (name: string) => string | null
}

/** In milliseconds; undefined when no sensible wait was asked for. */
export function askedWait(headers: ReadHeaders, now: number): number | undefined {
  return (
    positive(numberIn(headers.get("retry-after-ms"))) ??
    positive(seconds(numberIn(headers.get("retry-after")))) ??
    positive(until(headers.get("retry-after"), now)) ??
    resetWait(headers, now)
  )
}

const buckets = ["requests", "tokens", "input-tokens", "output-tokens"]

/** Without a plain `retry-after`, exhausted limits say when they reset; the last of them counts. */
function resetWait(headers: ReadHeaders, now: number): number | undefined {
  const unified = numberIn(headers.get("anthropic-ratelimit-unified-reset"))
  const waits = buckets.map((bucket) =>
    headers.get(`anthropic-ratelimit-${bucket}-remaining`) === "0"
      ? positive(until(headers.get(`anthropic-ratelimit-${bucket}-reset`), now))
      : undefined,
  )
  if (unified !== undefined) waits.push(positive(unified * 1000 - now))
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
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

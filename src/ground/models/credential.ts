/** The key of a request: fixed, or printed by a command and cached for a while. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface KeySource {
  /** A function is called before each request, so that the key can be replaced in the meantime. */
  readonly apiKey?: string | (() => string | undefined)
  readonly authToken?: string
  /** Runs the user's key command; it takes precedence over fixed keys. */
  readonly readKey?: () => Promise<Result<string, string>>
  /** How long a key of the command is used. */
  readonly keyMs?: number
  /** The one header that the provider reads its key from; both usual ones when absent. */
  readonly keyHeader?: KeyHeader
}

/** `authorization` has it as a bearer token. */
export type KeyHeader = "authorization" | "x-goog-api-key"

export interface Credential {
  /** The headers that carry the key, or why there is none. */
  readonly headers: (signal: AbortSignal) => Promise<Result<KeyHeaders, string>>
  /** Reads the key again; absent when the key is fixed. */
  readonly refresh?: (signal: AbortSignal) => Promise<Result<unknown, string>>
  /** Adds what depends on the whole request, such as a signature. */
  readonly sign?: (request: UnsignedRequest, signal: AbortSignal) => Promise<Result<Headers, string>>
  /** What no failure may show, besides the values of headers. */
  readonly secrets?: () => readonly string[]
}

export interface UnsignedRequest {
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

export type KeyHeaders = { readonly [name: string]: string }

const usualKeyMs = 5 * 60_000

/** Nothing is read before a request needs it. */
export function openCredential(source: KeySource, clock: Clock): Credential {
  const { readKey, keyMs = usualKeyMs } = source
  if (!readKey) {
    return { headers: () => Promise.resolve(ok(fixedHeaders(source))) }
  }

  let kept: { readonly headers: KeyHeaders; readonly at: number } | undefined
  let reading: Promise<Result<KeyHeaders, string>> | undefined

  const read = async (): Promise<Result<KeyHeaders, string>> => {
    const key = await readSafely(readKey)
    reading = undefined
    if (!key.ok) return key
    const headers = source.keyHeader ? inHeader(source.keyHeader, key.value) : commandHeaders(key.value)
    kept = { headers, at: clock.now() }
    return ok(headers)
  }
  // Requests that run at once share one run of the command.
  const readOnce = (signal: AbortSignal): Promise<Result<KeyHeaders, string>> =>
    unlessAborted((reading ??= read()), signal)

  return {
    headers: (signal) => (kept && clock.now() - kept.at < keyMs ? Promise.resolve(ok(kept.headers)) : readOnce(signal)),
    refresh(signal) {
      kept = undefined
      return readOnce(signal)
    },
  }
}

function fixedHeaders({ apiKey: configuredKey, authToken, keyHeader }: KeySource): KeyHeaders {
  const apiKey = typeof configuredKey === "function" ? configuredKey() : configuredKey
  if (keyHeader) return apiKey ? inHeader(keyHeader, apiKey) : {}
  return { ...(apiKey && { "x-api-key": apiKey }), ...(authToken && { authorization: `Bearer ${authToken}` }) }
}

const inHeader = (header: KeyHeader, key: string): KeyHeaders => ({
  [header]: header === "authorization" ? `Bearer ${key}` : key,
})

/** A command may print either kind of key, and gateways look in either place. */
const commandHeaders = (key: string): KeyHeaders => ({ "x-api-key": key, authorization: `Bearer ${key}` })

async function readSafely(readKey: () => Promise<Result<string, string>>): Promise<Result<string, string>> {
  try {
    const key = await readKey()
    if (!key.ok) return failed(key.failure)
    const trimmed = key.value.trim()
    return trimmed === "" ? failed("it printed nothing") : ok(trimmed)
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

function unlessAborted<T>(promise: Promise<Result<T, string>>, signal: AbortSignal): Promise<Result<T, string>> {
  if (signal.aborted) return Promise.resolve(failed("interrupted"))
  return new Promise((resolve) => {
    const abort = (): void => resolve(failed("interrupted"))
    signal.addEventListener("abort", abort)
    void promise.then((result) => {
      signal.removeEventListener("abort", abort)
      resolve(result)
    })
  })
}

/** Signing in to OpenRouter with a browser: the user approves there, a code comes back, and the code becomes a key. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import type { Ids } from "#lib/ids.ts"
import { objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SendRequest } from "./ask-server.ts"
import { networkWords } from "./network-words.ts"

export interface SignInParts {
  readonly who: string
  /** Of the API: the page to sign in at has the same host. */
  readonly baseUrl: string
  /** `here`: the browser is on this machine and can come back. `pasted`: it shows a code. */
  readonly code: "here" | "pasted"
  readonly ids: Ids
  readonly clock: Clock
  readonly send: SendRequest
}

export interface SignIn {
  /** To open in a browser. */
  readonly url: string
  /** The key, once the browser came back; undefined when it was interrupted. To be called once. */
  readonly waitForBrowser: (signal: AbortSignal) => Promise<Result<string, string> | undefined>
  /** The key for a code, or for the address that the browser ended at. */
  readonly exchangeCode: (pasted: string, signal: AbortSignal) => Promise<Result<string, string>>
}

/** A code is good for ten minutes. */
const patienceMs = 10 * 60_000

export function openSignIn({ who, baseUrl, code, ids, clock, send }: SignInParts): SignIn {
  const verifier = `${ids.uuid()}-${ids.uuid()}`
  const state = ids.uuid()
  const back = code === "here" ? openCallback(state) : undefined
  const { origin } = new URL(baseUrl)
  const query = new URLSearchParams({
    ...(back ? { callback_url: back.url } : { key_label: "Codewright" }),
    code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  })

  async function exchange(found: string, signal: AbortSignal): Promise<Result<string, string>> {
    try {
      const response = await send(`${baseUrl.replace(/\/+$/, "")}/auth/keys`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "user-agent": "codewright" },
        body: JSON.stringify({ code: found, code_verifier: verifier, code_challenge_method: "S256" }),
        signal,
        redirect: "manual",
      })
      const key = objectIn(await response.text())?.key
      if (response.ok && typeof key === "string" && /^[!-~]+$/.test(key)) return ok(key)
      return failed(
        response.ok
          ? `${who} sent no key. Sign in again.`
          : `${who} did not accept the code (${response.status}). It may be used or expired. Sign in again.`,
      )
    } catch (error) {
      return failed(`${who} could not be reached: ${networkWords(error)}. Check the network, then sign in again.`)
    }
  }

  return {
    url: `${origin}/auth?${query.toString()}`,
    async waitForBrowser(signal) {
      const late = new AbortController()
      const cancel = clock.after(patienceMs, () => late.abort())
      try {
        const stop = AbortSignal.any([signal, late.signal])
        const params = await (back?.came(stop) ?? aborted(stop))
        if (signal.aborted) return undefined
        if (!params) return failed("Nobody signed in within ten minutes. Sign in again.")
        const found = params.get("code")
        return found === null ? failed(`${who} did not give access.`) : await exchange(found, signal)
      } finally {
        cancel()
        back?.close()
      }
    },
    async exchangeCode(pasted, signal) {
      const found = codeIn(pasted.trim(), state)
      if (found === undefined) return failed("That is neither a code nor the address that the browser ended at.")
      return exchange(found, signal)
    },
  }
}

/** An address of another sign-in has no code for us. */
function codeIn(pasted: string, state: string): string | undefined {
  if (!/^https?:/i.test(pasted)) return /^[\w.~-]{8,1000}$/.test(pasted) ? pasted : undefined
  if (!URL.canParse(pasted)) return undefined
  const { pathname, searchParams } = new URL(pasted)
  return pathname === pathFor(state) ? (searchParams.get("code") ?? undefined) : undefined
}

/** The state is in the path, where no redirect loses it. */
const pathFor = (state: string): string => `/callback/${state}`

interface Callback {
  readonly url: string
  /** Undefined when it was interrupted. */
  readonly came: (signal: AbortSignal) => Promise<URLSearchParams | undefined>
  readonly close: () => void
}

/** Listens on this machine only, and only accepts a caller who knows the state we issued, once. */
function openCallback(state: string): Callback {
  const arrived = deferred<URLSearchParams>()
  let isUsed = false
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (isUsed || request.method !== "GET" || pathname !== pathFor(state))
        return new Response("Not found", { status: 404 })
      isUsed = true
      arrived.resolve(searchParams)
      return new Response("You can close this page and go back to the terminal.\n", {
        headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" },
      })
    },
  })
  return {
    // The name is what OpenRouter documents for programs like this one.
    url: `http://localhost:${server.port}${pathFor(state)}`,
    came: (signal) => Promise.race([arrived.promise, aborted(signal)]),
    // The browser still gets its page.
    close: () => void server.stop(),
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })

/** An OpenID provider, as far as signing in needs it: where it sends people, and what it says about them afterwards. */

import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import type { Network } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readIdToken } from "./id-token.ts"

export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  /** Absent for public clients, which prove themselves with PKCE alone. */
  readonly secret?: string
  readonly scopes: readonly string[]
}

export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Failures are sentences for whoever signs in, or runs the server. */
export interface OpenIdProvider {
  /** The address at which the provider asks who it is. */
  readonly address: (attempt: SignInAttempt) => Promise<Result<string, string>>
  /** What the provider says about whoever came back with this code. */
  readonly claims: (code: string, attempt: SignInAttempt) => Promise<Result<JsonObject, string>>
}

interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly keys: string
  readonly takesSecretInHeader: boolean
}

const freshMs = 60 * 60 * 1000
const patienceMs = 15_000
const mostBytes = 1_000_000

/** What failed on the way there, and what to do where the certificate is that of a company. */
function whyUnreached(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  const isUntrusted = /issuer certificate|self.signed|verify the first certificate/i.test(why)
  return isUntrusted ? `${why} (name your company's certificate authority in the setting network.caFile)` : why
}

export function openOpenIdProvider(
  client: OpenIdClient,
  { network, clock }: { readonly network: Pick<Network, "fetch">; readonly clock: Clock },
): OpenIdProvider {
  const issuer = client.issuer.replace(/\/$/, "")
  let found: { readonly at: number; readonly endpoints: Endpoints } | undefined
  let keys: { readonly at: number; readonly list: readonly JsonObject[] } | undefined

  async function ask(url: string, init: RequestInit = {}): Promise<Result<JsonObject, string>> {
    const late = new AbortController()
    const stop = clock.after(patienceMs, () => late.abort())
    try {
      const answer = await network.fetch({ why: "server", name: "sign-in", chosenBy: "user" }, url, {
        ...init,
        redirect: "error",
        signal: late.signal,
      })
      const text = await boundedText(answer)
      const body = text === undefined ? undefined : objectIn(text)
      if (answer.ok && body) return ok(body)
      const said = body && typeof body["error"] === "string" ? `: ${body["error"]}` : ""
      return failed(
        answer.ok ? "its answer is not the JSON it should be" : `it answered with status ${answer.status}${said}`,
      )
    } catch (error) {
      return failed(late.signal.aborted ? "it does not answer" : whyUnreached(error))
    } finally {
      stop()
    }
  }

  async function endpoints(): Promise<Result<Endpoints, string>> {
    if (found && clock.now() - found.at < freshMs) return ok(found.endpoints)
    const asked = await ask(`${issuer}/.well-known/openid-configuration`)
    if (!asked.ok) return failed(`The sign-in provider ${issuer} cannot be used: ${asked.failure}.`)
    const read = endpointsIn(asked.value, client.issuer)
    if (read.ok) found = { at: clock.now(), endpoints: read.value }
    return read
  }

  /** Keys are fetched again when a token names one that is not there, but not more often than once a minute. */
  async function keysAt(url: string, isMissing: boolean): Promise<Result<readonly JsonObject[], string>> {
    const age = keys ? clock.now() - keys.at : Number.POSITIVE_INFINITY
    if (keys && age < (isMissing ? 60_000 : freshMs)) return ok(keys.list)
    const asked = await ask(url)
    if (!asked.ok) return failed(`The keys of the sign-in provider cannot be read: ${asked.failure}.`)
    const list = Array.isArray(asked.value["keys"]) ? asked.value["keys"].filter(isObject) : []
    keys = { at: clock.now(), list }
    return ok(list)
  }

  async function verified(token: string, at: Endpoints, nonce: string): Promise<Result<JsonObject, string>> {
    const expected = { issuer: client.issuer, clientId: client.clientId, nonce, nowMs: clock.now() }
    for (const isMissing of [false, true]) {
      const known = await keysAt(at.keys, isMissing)
      if (!known.ok) return known
      const read = await readIdToken(token, known.value, expected)
      if (read.ok) return read
      if (read.failure.kind === "refused" || isMissing)
        return failed(`The sign-in provider's token is not accepted: ${read.failure.why}.`)
    }
    return failed("The sign-in provider's token is not accepted.")
  }

  return {
    async address(attempt) {
      const at = await endpoints()
      if (!at.ok) return at
      const url = new URL(at.value.authorization)
      const wanted = {
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: attempt.redirectUri,
        scope: [...new Set(["openid", ...client.scopes])].join(" "),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: new Bun.CryptoHasher("sha256").update(attempt.verifier).digest("base64url"),
        code_challenge_method: "S256",
      }
      for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value)
      return ok(url.href)
    },
    async claims(code, attempt) {
      const at = await endpoints()
      if (!at.ok) return at
      const exchanged = await ask(at.value.token, exchange(client, at.value, code, attempt))
      if (!exchanged.ok) return failed(`The sign-in provider did not accept the sign-in: ${exchanged.failure}.`)
      const token = exchanged.value["id_token"]
      if (typeof token !== "string") return failed("The sign-in provider sent no ID token.")
      return verified(token, at.value, attempt.nonce)
    },
  }
}

function exchange(
  { clientId, secret }: OpenIdClient,
  { takesSecretInHeader }: Endpoints,
  code: string,
  { verifier, redirectUri }: SignInAttempt,
): RequestInit {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", accept: "application/json" })
  if (secret !== undefined && takesSecretInHeader)
    headers.set("authorization", `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)}`)
  else {
    form.set("client_id", clientId)
    if (secret !== undefined) form.set("client_secret", secret)
  }
  return { method: "POST", headers, body: form.toString() }
}

function endpointsIn(metadata: JsonObject, issuer: string): Result<Endpoints, string> {
  const { authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys } = metadata
  if (metadata["issuer"] !== issuer)
    return failed(
      `The sign-in provider calls itself ${JSON.stringify(metadata["issuer"])}, not ${issuer}. Set server.openid.issuer to exactly what it says.`,
    )
  if (!isAddress(authorization) || !isAddress(token) || !isAddress(keys))
    return failed(`The sign-in provider ${issuer} does not say where people sign in.`)
  const methods = metadata["token_endpoint_auth_methods_supported"]
  return ok({
    authorization,
    token,
    keys,
    takesSecretInHeader: !Array.isArray(methods) || methods.includes("client_secret_basic"),
  })
}

/** Without TLS only on this machine, for trying things out. */
export const isAddress = (value: unknown): value is string =>
  typeof value === "string" &&
  URL.canParse(value) &&
  /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(value)

async function boundedText(answer: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > mostBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/**
 * Signing in with the accounts of a company: a browser is sent to the OpenID provider, comes back with a code, and gets
 * the role of its user's groups. What belongs to one attempt is in a cookie, so any server of the fleet can finish it.
 */

import type { Clock } from "#lib/clock.ts"
import { type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner, UserRole } from "#fleet/records.ts"

export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Failures are sentences for whoever signs in. */
export interface SignInProvider {
  readonly address: (attempt: SignInAttempt) => Promise<Result<string, string>>
  readonly claims: (code: string, attempt: SignInAttempt) => Promise<Result<JsonObject, string>>
}

export interface OpenIdSignIn {
  /** What the button says after "Sign in with". */
  readonly title: string
  readonly provider: SignInProvider
  readonly roles: Readonly<Partial<Record<UserRole, readonly string[]>>>
  readonly nameClaim: string
  readonly groupsClaim: string
  /** How long somebody stays signed in. Roles are those of the moment of signing in. */
  readonly forMs: number
}

export interface OpenIdRoutes {
  /** The answer that sends a browser to the provider, or a sentence that says why it cannot go there. */
  readonly begin: (request: Request, url: URL) => Promise<Result<Response, string>>
  /** Who it is, or a sentence that says why it is nobody. */
  readonly finish: (request: Request, url: URL) => Promise<Result<TokenOwner, string>>
  /** Takes the attempt back. */
  readonly forget: () => string
}

export const openIdPath = "/sign-in/openid"
export const openIdBackPath = "/sign-in/openid/back"

/** So long somebody may take to sign in there. */
const attemptSeconds = 600

export function openOpenIdRoutes(parts: {
  readonly signIn: OpenIdSignIn
  /** Of whoever started the server: nobody from elsewhere can be called that. */
  readonly owner: string
  readonly newSecret: () => string
  readonly clock: Clock
  readonly port: () => number
}): OpenIdRoutes {
  const { signIn, newSecret } = parts
  const cookieName = (): string => `codewright_${parts.port()}_openid`
  // The provider sends the browser here from another site, which a strict cookie would not survive.
  const cookie = (value: string, seconds: number, isSecure: boolean): string =>
    `${cookieName()}=${value}; Path=/sign-in; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`

  function attemptOf(request: Request): Pick<SignInAttempt, "state" | "nonce" | "verifier"> | undefined {
    const [, value = ""] =
      new RegExp(`(?:^|; )${cookieName()}=([\\w-]{16,2000})(?:;|$)`).exec(request.headers.get("cookie") ?? "") ?? []
    const { state, nonce, verifier } = objectIn(Buffer.from(value, "base64url").toString("utf8")) ?? {}
    if (typeof state !== "string" || typeof nonce !== "string" || typeof verifier !== "string") return undefined
    return { state, nonce, verifier }
  }

  return {
    async begin(request, url) {
      const attempt = { state: newSecret(), nonce: newSecret(), verifier: newSecret() }
      const address = await signIn.provider.address({ ...attempt, redirectUri: redirectUri(request, url) })
      if (!address.ok) return address
      const kept = Buffer.from(JSON.stringify(attempt)).toString("base64url")
      const headers = { location: address.value, "set-cookie": cookie(kept, attemptSeconds, isHttps(request)) }
      return ok(new Response(null, { status: 303, headers }))
    },
    async finish(request, url) {
      const attempt = attemptOf(request)
      const { searchParams } = url
      const refused = searchParams.get("error")
      if (!attempt || searchParams.get("state") !== attempt.state)
        return failed("This sign-in was started in another browser, or more than ten minutes ago. Start again.")
      if (refused !== null)
        return failed(`The sign-in provider refused: ${refused.replaceAll(/[^\w .-]/g, "").slice(0, 100)}.`)
      const code = searchParams.get("code") ?? ""
      const claims = await signIn.provider.claims(code, { ...attempt, redirectUri: redirectUri(request, url) })
      return claims.ok ? personIn(claims.value, signIn, parts.owner) : claims
    },
    forget: () => cookie("", 0, false),
  }
}

export const isHttps = (request: Request): boolean => request.headers.get("x-forwarded-proto") === "https"

/** The host is one of ours: requests under other names are not answered. */
const redirectUri = (request: Request, url: URL): string =>
  `${isHttps(request) ? "https" : "http"}://${request.headers.get("host") ?? url.host}${openIdBackPath}`

const ranked: readonly UserRole[] = ["admin", "operator", "viewer"]

function personIn(
  claims: JsonObject,
  { roles, nameClaim, groupsClaim }: OpenIdSignIn,
  owner: string,
): Result<TokenOwner, string> {
  const name = claims[nameClaim]
  if (typeof name !== "string" || !/^[\w.@+-]{1,100}$/.test(name) || name === owner)
    return failed(`The sign-in provider gives no usable name for you (${nameClaim}). Ask whoever runs the server.`)
  // Whoever can write any address into their account could otherwise be anybody.
  if (nameClaim === "email" && claims["email_verified"] !== true)
    return failed(
      "The sign-in provider has not verified your address. Ask whoever runs the server: server.openid.nameClaim can name another claim.",
    )
  const groups = new Set(textsAt(claims, groupsClaim))
  const role = ranked.find((each) => roles[each]?.some((group) => group === "*" || groups.has(group)))
  return role
    ? ok({ name, role })
    : failed(`${name} has no role here. Ask whoever runs the server to give one of your groups a role.`)
}

/** A claim, also one inside of another: `realm_access.roles`. */
function textsAt(claims: JsonObject, path: string): readonly string[] {
  const found = claims[path] ?? path.split(".").reduce<JsonValue | undefined>(inside, claims)
  if (typeof found === "string") return [found]
  return Array.isArray(found) ? found.filter((each) => typeof each === "string") : []
}

const inside = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined

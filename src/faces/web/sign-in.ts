/** How a browser comes in: with a link that works once, or with a token, for which it gets a cookie that no script can read. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FleetStore } from "#fleet/store.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"
import { bodyOf } from "./body.ts"
import {
  isHttps,
  openIdBackPath,
  openIdPath,
  type OpenIdRoutes,
  openOpenIdRoutes,
  type OpenIdSignIn,
} from "./openid.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { json, nothing, plainHeaders } from "./responses.ts"
import { signInBody } from "./request-schemas.ts"
import { loginOf, type Visitors } from "./visitors.ts"

/** So long a link that was not used works. */
const linkMs = 10 * 60 * 1000
/** So long a browser stays signed in. */
const cookieMs = 7 * 24 * 60 * 60 * 1000

export interface SignIn {
  /** The path of a link that signs in whoever opens it first. */
  readonly link: () => string
  /** The answer to a request about signing in; undefined for all others. */
  readonly answer: (request: Request, url: URL, address: string) => Promise<Result<Response, Refusal> | undefined>
}

export function openSignIn(parts: {
  readonly store: FleetStore
  readonly visitors: Visitors
  /** Whose links they are. */
  readonly owner: string
  /** What whoever opens a link is signed in as: the digest of a token, or the id of the server's owner. */
  readonly linked: string
  readonly newSecret: () => string
  readonly clock: Clock
  readonly bodyMs: number
  readonly port: () => number
  /** For whoever runs the server. */
  readonly report?: ((text: string) => void) | undefined
  /** Absent where nobody signs in with accounts from elsewhere. */
  readonly openId?: OpenIdSignIn | undefined
}): SignIn {
  const { store, visitors, clock, newSecret, openId } = parts
  const links = new Map<string, number>()
  const openIdRoutes = openId && openOpenIdRoutes({ ...parts, signIn: openId })

  async function signedIn(
    login: string,
    request: Request,
    answer: (cookie: string) => Response,
    forMs = cookieMs,
  ): Promise<Response> {
    const secret = newSecret()
    await store.tokens.signIn(secret, login, forMs)
    return answer(visitors.cookie(secret, Math.floor(forMs / 1000), isHttps(request)))
  }

  async function toProvider(routes: OpenIdRoutes, request: Request, url: URL): Promise<Response> {
    const begun = await routes.begin(request, url)
    if (begun.ok) return begun.value
    parts.report?.(`warning: ${begun.failure} Nobody can sign in with it.`)
    return new Response(`${begun.failure}\n`, { status: 502, headers: textHeaders })
  }

  async function byProvider(request: Request, url: URL, address: string): Promise<Response | undefined> {
    if (!openId || !openIdRoutes) return undefined
    const found = await openIdRoutes.finish(request, url)
    if (!found.ok) {
      parts.report?.(`Somebody could not sign in with ${openId.title}. They were told: ${found.failure}`)
      const headers = { ...textHeaders, "set-cookie": openIdRoutes.forget() }
      return new Response(`${found.failure}\n`, { status: 403, headers })
    }
    const { name, role } = found.value
    await store.tokens.remember({ name, role })
    await store.note(name, `signed in with ${openId.title} (${role})`, { address })
    return signedIn(
      loginOf(found.value),
      request,
      (cookie) => {
        const headers = new Headers({ ...plainHeaders, location: "/" })
        headers.append("set-cookie", cookie)
        headers.append("set-cookie", openIdRoutes.forget())
        return new Response(null, { status: 303, headers })
      },
      openId.forMs,
    )
  }

  async function byLink(request: Request, code: string, address: string): Promise<Response> {
    const until = links.get(code)
    links.delete(code)
    if (until === undefined || until < clock.now())
      return new Response(staleLink, { status: 403, headers: textHeaders })
    await store.note(parts.owner, "signed in with the link of the server", { address })
    return signedIn(parts.linked, request, (cookie) => {
      const headers = { ...plainHeaders, location: "/", "set-cookie": cookie }
      return new Response(null, { status: 303, headers })
    })
  }

  async function byToken(request: Request, address: string): Promise<Result<Response, Refusal>> {
    const body = await bodyOf(request, signInBody, parts)
    if (!body.ok) return body
    const token = String(body.value["token"])
    const owner = await visitors.owner(tokenDigest(token))
    if (!owner) return failed(refusal("unauthorized", "This token is not valid."))
    await store.note(owner.name, "signed in with a token", { address })
    return ok(await signedIn(tokenDigest(token), request, (cookie) => nothing({ "set-cookie": cookie })))
  }

  async function end(request: Request): Promise<Response> {
    const secret = visitors.secretInCookie(request.headers)
    if (secret !== undefined) await store.tokens.signOut(secret)
    return nothing({ "set-cookie": visitors.cookie("", 0, false) })
  }

  return {
    link() {
      const code = newSecret()
      links.set(code, clock.now() + linkMs)
      return `/sign-in?code=${code}`
    },
    async answer(request, url, address) {
      const { method } = request
      const { pathname, searchParams } = url
      if (pathname === "/sign-in" && method === "GET")
        return ok(await byLink(request, searchParams.get("code") ?? "", address))
      if (openIdRoutes && pathname === openIdPath && method === "GET")
        return ok(await toProvider(openIdRoutes, request, url))
      if (openIdRoutes && pathname === openIdBackPath && method === "GET") {
        const answered = await byProvider(request, url, address)
        return answered && ok(answered)
      }
      if (pathname !== "/api/sign-in") return undefined
      if (method === "GET") return ok(json(200, openId ? { openId: { title: openId.title } } : {}))
      if (method === "POST") return byToken(request, address)
      return method === "DELETE" ? ok(await end(request)) : undefined
    },
  }
}

const staleLink =
  "This link was used before, or it is older than 10 minutes.\n" +
  "Start codewright serve again for a new link, or open the page and sign in with a token.\n"

const textHeaders = { ...plainHeaders, "content-type": "text/plain; charset=utf-8" } as const

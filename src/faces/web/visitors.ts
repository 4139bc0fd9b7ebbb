/** Who sent a request: the owner of a token, or of the cookie that a browser got for one. See decision 102. */

import { roles, type TokenOwner } from "#fleet/records.ts"
import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"

export interface Visitor extends TokenOwner {
  /** A browser adds its cookie to whatever any page makes it send. */
  readonly by: "token" | "cookie"
}

const stillMs = 5_000
/** So many secrets are remembered as valid before they are forgotten together. */
const mostValid = 10_000

export interface Visitors {
  readonly of: (headers: Headers) => Promise<Visitor | undefined>
  /** The same for thousands of streams that ask now and then: an answer of the last few seconds is used again. */
  readonly cached: (headers: Headers) => Promise<Visitor | undefined>
  /**
   * Whose requests wait for each other: those with a secret that was valid when it was last looked at, and otherwise all from an address, whatever
   * they show. Whoever sends a new wrong token each time so waits for themselves.
   */
  readonly lane: (headers: Headers, address: string) => string
  readonly owner: (digest: string) => Promise<TokenOwner | undefined>
  readonly secretInCookie: (headers: Headers) => string | undefined
  readonly cookie: (secret: string, seconds: number, isSecure: boolean) => string
}

/** Whoever started the server: not in the database, and known by digests alone. */
export interface ServerOwner extends TokenOwner {
  /** A token that is valid while this server runs. */
  readonly secret: string
  /** What browsers that opened a link are signed in as, instead of the digest of a token; that of the secret when absent. */
  readonly id?: string
  /** The digest of the token that was made for programs, as it is now. */
  readonly token?: () => string | undefined
}

export function openVisitors(parts: {
  readonly store: FleetStore
  readonly own: ServerOwner
  /** Browsers send a cookie to every port of a host, so its name has the port in it. */
  readonly port: () => number
  readonly clock: Clock
}): Visitors {
  const { store, own, clock } = parts
  const answers = { since: 0, by: new Map<string, Promise<Visitor | undefined>>() }
  const ownDigest = tokenDigest(own.secret)
  const isOwn = (digest: string): boolean => digest === ownDigest || digest === own.token?.()
  /** Digests of secrets. */
  const valid = new Set<string>()
  const cookieName = (): string => `codewright_${parts.port()}`

  const owner = async (digest: string): Promise<TokenOwner | undefined> =>
    isOwn(digest) ? { name: own.name, role: own.role } : store.tokens.owner(digest)

  function secretInCookie(headers: Headers): string | undefined {
    const [, secret] =
      new RegExp(`(?:^|; )${cookieName()}=([\\w-]{16,200})(?:;|$)`).exec(headers.get("cookie") ?? "") ?? []
    return secret
  }

  /** A request with a header that is no token is nobody's, whatever its cookie. */
  const secretShown = (headers: Headers): string | undefined =>
    headers.has("authorization") ? secretIn(headers) : secretInCookie(headers)

  async function of(headers: Headers): Promise<Visitor | undefined> {
    const visitor = await lookUp(headers)
    const digest = tokenDigest(secretShown(headers) ?? "")
    if (visitor && valid.size >= mostValid) valid.clear()
    if (visitor) valid.add(digest)
    else valid.delete(digest)
    return visitor
  }

  async function lookUp(headers: Headers): Promise<Visitor | undefined> {
    const secret = secretIn(headers)
    if (secret !== undefined) return known(await owner(tokenDigest(secret)), "token")
    if (headers.has("authorization")) return undefined
    const shown = secretInCookie(headers)
    const token = shown === undefined ? undefined : await store.tokens.signedIn(shown)
    if (token === undefined) return undefined
    const person = personOf(token)
    if (person) return known(person, "cookie")
    return known(token === own.id ? { name: own.name, role: own.role } : await owner(token), "cookie")
  }

  return {
    owner,
    secretInCookie,
    of,
    lane(headers, address) {
      const digest = tokenDigest(secretShown(headers) ?? "")
      return valid.has(digest) ? `secret ${digest}` : `address ${address}`
    },
    cached(headers) {
      if (clock.now() - answers.since >= stillMs) {
        answers.since = clock.now()
        answers.by.clear()
      }
      const key = JSON.stringify([headers.get("authorization"), headers.get("cookie")])
      const answer = answers.by.get(key) ?? of(headers)
      answers.by.set(key, answer)
      return answer
    },
    cookie: (secret, seconds, isSecure) =>
      `${cookieName()}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`,
  }
}

/** What a browser is signed in as whose user has no token: it stays true until the sign-in ends. */
export const loginOf = ({ name, role }: TokenOwner): string => `person ${role} ${name}`

function personOf(login: string): TokenOwner | undefined {
  const [, shown, name] = /^person (\w+) (\S+)$/.exec(login) ?? []
  const role = roles.find((each) => each === shown)
  return role && name !== undefined ? { name, role } : undefined
}

const known = (who: TokenOwner | undefined, by: Visitor["by"]): Visitor | undefined => who && { ...who, by }

/** The secret of `Authorization: Bearer …`. */
function secretIn(headers: Headers): string | undefined {
  const [, secret] = /^Bearer ([\w-]{16,200})$/.exec(headers.get("authorization") ?? "") ?? []
  return secret
}

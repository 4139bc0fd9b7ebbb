/** Which requests are answered at all: those that name the server as it is named here, and that no page of another site makes. See decision 83. */

import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner, UserRole } from "#fleet/records.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { Visitor } from "./visitors.ts"

const anyPort = ":*"

/** A page of another site reaches a server on this machine under a name of its own, or says where it comes from. */
export function fromHere(headers: Headers, hosts: ReadonlySet<string>): Result<void, Refusal> {
  const host = headers.get("host")?.toLowerCase() ?? ""
  if (!hosts.has(host) && !hosts.has(host.replace(/:\d+$/, anyPort)))
    return failed(
      refusal("forbidden", "This server does not answer to that name. To allow it, start with --allow-host <name>."),
    )
  const origin = headers.get("origin")?.toLowerCase()
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return failed(refusal("forbidden", "Requests from other sites are not answered."))
  return ok(undefined)
}

/** HEAD is asked for the headers of what GET would answer. */
export const onlyReads = ({ method }: Pick<Request, "method">): boolean => method === "GET" || method === "HEAD"

/** A cookie counts only for the server's own page: other pages can make a browser send it, but not with this origin and content type. */
export function ownPage(request: Request, { by }: Pick<Visitor, "by">): Result<void, Refusal> {
  if (by !== "cookie") return ok(undefined)
  const { method, headers } = request
  const site = headers.get("sec-fetch-site")
  const isForeign = site !== null && site !== "same-origin" && site !== "none"
  const isUnsaid = !onlyReads(request) && !headers.has("origin")
  if (isForeign || isUnsaid) return failed(refusal("forbidden", "Requests from other sites are not answered."))
  return method === "POST" ? asJson(headers) : ok(undefined)
}

/** A form of another site can send any text, but not say that it is JSON. */
function asJson(headers: Headers): Result<void, Refusal> {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type === "application/json") return ok(undefined)
  return failed(refusal("bad_request", "Send the body as application/json."))
}

const ranks: { readonly [role in UserRole]: number } = { viewer: 0, operator: 1, admin: 2 }

export function mayAct({ role }: TokenOwner, needed: UserRole): Result<void, Refusal> {
  if (ranks[role] >= ranks[needed]) return ok(undefined)
  return failed(refusal("forbidden", `This needs the role ${needed}; the token has the role ${role}.`))
}

/** The names of a server on this machine, its addresses, and the names it was given. */
export function hostsOf(addresses: readonly string[], names: readonly string[], port: number): ReadonlySet<string> {
  const here = ["127.0.0.1", "localhost", "::1", ...addresses]
  const spelled = here.map((each) => (each.includes(":") ? `[${each}]` : each.toLowerCase()))
  // A name that was given is that of a proxy, with or without a port of its own, which we do not know.
  return new Set([...spelled.map((each) => `${each}:${port}`), ...names.flatMap((each) => [each, `${each}${anyPort}`])])
}

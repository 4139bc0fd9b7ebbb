/** Who may speak to the server: programs that name it as it is named here, pages that come from it, and owners of a token. */

import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner, UserRole } from "#fleet/records.ts"
import { type Refusal, refusal } from "./refusal.ts"

/** A page of another site reaches a server on this machine under a name of its own, or says where it comes from. */
export function fromHere(headers: Headers, hosts: ReadonlySet<string>): Result<void, Refusal> {
  const host = headers.get("host")?.toLowerCase() ?? ""
  if (!hosts.has(host)) return failed(refusal("forbidden", "The server is not reached under this name."))
  const origin = headers.get("origin")?.toLowerCase()
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return failed(refusal("forbidden", "Requests from other sites are not answered."))
  return ok(undefined)
}

/** The secret of `Authorization: Bearer …`. */
export function secretIn(headers: Headers): string | undefined {
  const [, secret] = /^Bearer ([\w-]{16,200})$/.exec(headers.get("authorization") ?? "") ?? []
  return secret
}

const ranks: { readonly [role in UserRole]: number } = { viewer: 0, operator: 1, admin: 2 }

export function mayAct({ role }: TokenOwner, needed: UserRole): Result<void, Refusal> {
  if (ranks[role] >= ranks[needed]) return ok(undefined)
  return failed(refusal("forbidden", `This needs the role ${needed}; the token has the role ${role}.`))
}

/** The names of a server on this machine, and the address it was given. */
export const hostsOf = (host: string, port: number): ReadonlySet<string> =>
  new Set(["127.0.0.1", "localhost", "[::1]", host.toLowerCase()].map((name) => `${name}:${port}`))

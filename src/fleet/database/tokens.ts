/** Who may come in. Of tokens and sign-ins only digests are kept, so a copy of the database opens nothing. */

import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { addAudit, type Db } from "./transaction.ts"
import { roles, type TokenOwner, type UserRole } from "#fleet/records.ts"
import type { FleetTokens } from "#fleet/store/people.ts"
import { now } from "./tables.ts"

/** So long somebody without a token is told of what waits without being here. */
const rememberedMs = 30 * 24 * 60 * 60 * 1000

export function openTokens(db: Db): FleetTokens {
  return {
    add: ({ name, role }, secret, expiresAt, by) =>
      db.write(async (sql) => {
        const made = await sql.rows(
          `insert into fleet_tokens (name, role, digest, expires_at) values ($1, $2, $3, $4)
           on conflict (name) do update set role = excluded.role, digest = excluded.digest, expires_at = excluded.expires_at, revoked_at = null
           where fleet_tokens.revoked_at is not null or fleet_tokens.expires_at < ${now} returning name`,
          [name, role, tokenDigest(secret), expiresAt ?? null],
        )
        if (made.length === 0) return failed({ kind: "name_taken" } as const)
        await addAudit(sql, by, `token for ${name} (${role}) made`)
        return ok(undefined)
      }),
    revoke: (name, by) =>
      db.write(async (sql) => {
        const ended = await sql.rows(
          `update fleet_tokens set revoked_at = ${now} where name = $1 and revoked_at is null returning name`,
          [name],
        )
        // Whoever signed in with an account from elsewhere has no token; the sign-ins are what they have.
        const left = await sql.rows(
          "delete from fleet_logins where token in ($1, $2, $3) returning digest",
          roles.map((role) => `person ${role} ${name}`),
        )
        await sql.rows("delete from fleet_people where name = $1", [name])
        await sql.rows("delete from fleet_devices where who = $1", [name])
        if (ended.length > 0) await addAudit(sql, by, `token for ${name} revoked`)
        if (left.length > 0) await addAudit(sql, by, `${name} signed out everywhere`)
        return ended.length + left.length > 0
      }),
    async list() {
      const found = await db.rows<TokenOwner & { expires_at: number | null }>(
        `select name, role, expires_at from fleet_tokens
         where revoked_at is null and (expires_at is null or expires_at > ${now}) order by name`,
      )
      return found.map(({ name, role, expires_at: until }) => ({
        name,
        role,
        ...optional("expiresAt", until ?? undefined),
      }))
    },
    async owner(digest) {
      const [found] = await db.rows<TokenOwner>(
        `select name, role from fleet_tokens
         where digest = $1 and revoked_at is null and (expires_at is null or expires_at > ${now})`,
        [digest],
      )
      return found
    },
    signIn: (secret, token, forMs) =>
      db.write(async (sql) => {
        await sql.rows(`delete from fleet_logins where expires_at < ${now}`)
        await sql.rows(
          `insert into fleet_logins (digest, token, expires_at) values ($1, $2, ${now} + $3::double precision)`,
          [tokenDigest(secret), token, forMs],
        )
      }),
    async signedIn(secret) {
      const [found] = await db.rows<{ token: string }>(
        `select token from fleet_logins where digest = $1 and expires_at > ${now}`,
        [tokenDigest(secret)],
      )
      return found?.token
    },
    signOut: (secret) =>
      db.write(
        async (sql) => void (await sql.rows("delete from fleet_logins where digest = $1", [tokenDigest(secret)])),
      ),
    async roleOf(name) {
      const [found] = await db.rows<{ role: UserRole | null }>(
        `select coalesce(
           (select role from fleet_tokens where name = $1 and revoked_at is null and (expires_at is null or expires_at > ${now})),
           (select role from fleet_people where name = $1 and seen_at > ${now} - ${rememberedMs})
         ) as role`,
        [name],
      )
      return found?.role ?? undefined
    },
    remember: async ({ name, role }) =>
      void (await db.rows(
        `insert into fleet_people (name, role, seen_at) values ($1, $2, ${now})
         on conflict (name) do update set role = excluded.role, seen_at = excluded.seen_at`,
        [name, role],
      )),
  }
}

export const tokenDigest = (secret: string): string => new Bun.CryptoHasher("sha256").update(secret).digest("hex")

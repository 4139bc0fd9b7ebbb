/** Devices of people and the messages to them, as rows: so several servers send each message once, and a restart loses none. */

import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type { QuietHours } from "#fleet/quiet-hours.ts"
import { type Device, type DuePush, type FleetNotifying, type NotifyWishes, pushUrl } from "#fleet/store/telling.ts"
import { type ApprovalRow, inShort } from "./approvals.ts"
import { addAudit, type Db } from "./transaction.ts"
import { now } from "./tables.ts"

/** Of one person. */
const mostDevices = 20
/** Longer than sending one may take. */
const sendingMs = 60_000
/** 20 s after the first attempt, then four times as long each time: the last is about two hours after the first. */
const [firstPauseMs, mostAttempts] = [20_000, 6]

interface DeviceRow {
  readonly id: string
  readonly who: string
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly server_key: string
  readonly label: string
  readonly added_at: number
  readonly told_at: number | null
}

interface WishRow {
  readonly hears_all: boolean | null
  readonly quiet: string | null
}

interface PushRow extends DeviceRow, WishRow {
  readonly push: string
  readonly attempts: number
  /** Null if it waits no more. */
  readonly asked: ApprovalRow | null
  readonly session_title: string | null
}

export function openNotifying(db: Db): FleetNotifying {
  return {
    async wishesOf(who) {
      const [row] = await db.rows<WishRow>("select hears_all, quiet from fleet_wishes where who = $1", [who])
      return row ? asWishes(row) : { hearsAll: false }
    },
    saveWishes: async (who, { hearsAll, quiet }) =>
      void (await db.rows(
        `insert into fleet_wishes (who, hears_all, quiet) values ($1, $2, $3)
         on conflict (who) do update set hears_all = excluded.hears_all, quiet = excluded.quiet`,
        [who, hearsAll, quiet ? JSON.stringify(quiet) : null],
      )),
    devices: async (who) =>
      (await db.rows<DeviceRow>("select * from fleet_devices where who = $1 order by added_at, id", [who])).map(
        asDevice,
      ),
    addDevice: (device) =>
      db.write(async (sql) => {
        const { id, who, endpoint, p256dh, auth, serverKey, label } = device
        const others = await sql.rows("select 1 from fleet_devices where who = $1 and endpoint <> $2", [who, endpoint])
        if (others.length >= mostDevices) return failed({ kind: "too_many", most: mostDevices } as const)
        // Only the browser itself knows the keys of an address that is there already.
        const [row] = await sql.rows<DeviceRow & { is_new: boolean }>(
          `insert into fleet_devices (id, who, endpoint, p256dh, auth, server_key, label, added_at) values ($1, $2, $3, $4, $5, $6, $7, ${now})
           on conflict (endpoint) do update set who = excluded.who, server_key = excluded.server_key
           where fleet_devices.p256dh = excluded.p256dh and fleet_devices.auth = excluded.auth
           returning *, xmax = 0 as is_new`,
          [id, who, endpoint, p256dh, auth, serverKey, label],
        )
        if (!row) return failed({ kind: "taken" } as const)
        await hearFromNowOn(sql)
        if (row.is_new) await addAudit(sql, who, "device added for notifications")
        return ok(asDevice(row))
      }),
    removeDevice: (who, id) =>
      db.write(async (sql) => {
        const gone = await sql.rows("delete from fleet_devices where who = $1 and id = $2 returning id", [who, id])
        if (gone.length > 0) await addAudit(sql, who, "device removed from notifications")
        return gone.length > 0
      }),
    forgetDevice: async (id) => void (await db.rows("delete from fleet_devices where id = $1", [id])),
    fanOut: (limit) => db.write((sql) => fanOut(sql, limit)),
    due: (serverKey, limit) => db.write((sql) => due(sql, serverKey, limit)),
    sent: async ({ id, device }) =>
      void (await db.rows(
        `with sent as (delete from fleet_pushes where id = $1) update fleet_devices set told_at = ${now} where id = $2`,
        [id, device.id],
      )),
    drop: async (id) => void (await db.rows("delete from fleet_pushes where id = $1", [id])),
    retry: (id) =>
      db.write(async (sql) => {
        await sql.rows("delete from fleet_pushes where id = $1 and attempts >= $2::integer", [id, mostAttempts])
        await sql.rows(
          `update fleet_pushes set next_at = ${now} + ${firstPauseMs} * power(4, attempts - 1) where id = $1`,
          [id],
        )
      }),
    postpone: async (id, forMs) =>
      void (await db.rows(
        `update fleet_pushes set next_at = ${now} + $2::double precision, attempts = attempts - 1 where id = $1`,
        [id, forMs],
      )),
    async dueInMs(serverKey) {
      const [found] = await db.rows<{ ms: number | null }>(
        `select (select push.next_at from fleet_pushes as push join fleet_devices as device on device.id = push.device
           where device.server_key = $1 order by push.next_at limit 1) - ${now} as ms`,
        [serverKey],
      )
      return found?.ms ?? undefined
    },
  }
}

/** What begins to wait makes a letter to this address from now on, which becomes messages to devices. */
const hearFromNowOn = (sql: Sql): Promise<unknown> =>
  sql.rows(
    "insert into fleet_hooks (url, since) select $1, coalesce(max(opened), 0) from fleet_approvals where state = 'open' on conflict do nothing",
    [pushUrl],
  )

async function fanOut(sql: Sql, limit: number): Promise<number> {
  const [found] = await sql.rows<{ count: number }>(
    `with letters as (
       update fleet_deliveries set next_at = null where id in (
         select id from fleet_deliveries where next_at <= ${now} and url = $1 order by next_at for update skip locked limit $2::integer
       ) returning session, approval, digest, opened
     ), pushes as (
       insert into fleet_pushes (device, session, approval, digest, opened, next_at)
       select device.id, letters.session, letters.approval, letters.digest, letters.opened, ${now}
       from letters join fleet_sessions as session on session.id = letters.session
       cross join lateral (
         select id from fleet_devices where who = session.created_by
         union select id from fleet_devices where who in (select who from fleet_grants where fleet_grants.session = letters.session and role = 'operator')
         union select id from fleet_devices where who in (select who from fleet_wishes where hears_all)
       ) as device
       on conflict do nothing
     )
     select count(*)::integer as count from letters`,
    [pushUrl, limit],
  )
  return found?.count ?? 0
}

async function due(sql: Sql, serverKey: string, limit: number): Promise<readonly DuePush[]> {
  const taken = await sql.rows<{ id: string }>(
    `update fleet_pushes set attempts = attempts + 1, next_at = ${now} + ${sendingMs} where id in (
       select push.id from fleet_pushes as push join fleet_devices as device on device.id = push.device
       where push.next_at <= ${now} and device.server_key = $1 order by push.next_at
       for update of push skip locked limit $2::integer
     ) returning id`,
    [serverKey, limit],
  )
  if (taken.length === 0) return []
  const rows = await sql.rows<PushRow>(
    `select device.*, push.id as push, push.attempts, to_json(asked) as asked, session.title as session_title, wish.hears_all, wish.quiet
     from fleet_pushes as push join fleet_devices as device on device.id = push.device
     left join fleet_wishes as wish on wish.who = device.who
     left join fleet_sessions as session on session.id = push.session
     left join fleet_approvals as asked on asked.session = push.session and asked.id = push.approval and asked.digest = push.digest
       and asked.opened = push.opened and asked.state = 'open' and (asked.expires_at is null or asked.expires_at > ${now})
     where push.id = any($1::bigint[]) order by push.id`,
    [taken.map(({ id }) => id)],
  )
  // Nobody has to be told of what was decided.
  const over = rows.filter(({ asked }) => !asked).map(({ push }) => push)
  if (over.length > 0) await sql.rows("delete from fleet_pushes where id = any($1::bigint[])", [over])
  return rows.flatMap((row) => (row.asked ? [asPush(row, row.asked)] : []))
}

const asPush = (row: PushRow, asked: ApprovalRow): DuePush => ({
  id: row.push,
  device: asDevice(row),
  approval: inShort(asked),
  session: { id: asked.session, title: row.session_title ?? "" },
  wishes: asWishes(row),
  attempts: row.attempts,
})

const asDevice = (row: DeviceRow): Device => ({
  id: row.id,
  who: row.who,
  endpoint: row.endpoint,
  p256dh: row.p256dh,
  auth: row.auth,
  serverKey: row.server_key,
  label: row.label,
  addedAt: row.added_at,
  ...optional("toldAt", row.told_at ?? undefined),
})

const asWishes = ({ hears_all: hearsAll, quiet }: WishRow): NotifyWishes => ({
  hearsAll: hearsAll === true,
  ...optional("quiet", quiet === null ? undefined : (JSON.parse(quiet) as QuietHours)),
})

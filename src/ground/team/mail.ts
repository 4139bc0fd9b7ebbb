/** Mail in a team's file: numbered for the whole team, so each box is in order, and read by whoever keeps their own place. */

import type { Database } from "bun:sqlite"
import type { Letter, Mail, Mailboxes, MailFailure, MailType, Posted } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TeamDatabase } from "./database.ts"

/** So much of what was read is kept, for showing, and for a sender that sends again after a crash. */
export const keptBehind = 200

export interface MailRow {
  readonly seq: number
  readonly sender: string
  readonly recipient: string
  readonly type: MailType
  readonly text: string
  readonly summary: string | null
  readonly answers: number | null
  readonly approve: number | null
  readonly meant_for: string | null
  readonly sent_at: number
  readonly delivered_at: number | null
}

export function openMail({ database, write }: TeamDatabase, clock: Clock): Mailboxes {
  const box = database.query<MailRow, [string, number]>(
    "select * from mail where recipient = ? and seq > ? order by seq",
  )
  return {
    send: async (letter) => write(() => post(database, letter, clock.now())),
    after: async (reader, cursor) => box.all(reader, cursor).map(asMail),
    async delivered(reader, cursor) {
      write(() => {
        database.query("update members set read_to = max(read_to, ?) where name = ?").run(cursor, reader)
        database
          .query("update mail set delivered_at = ? where recipient = ? and seq <= ? and delivered_at is null")
          .run(clock.now(), reader, cursor)
        database
          .query("delete from mail where delivered_at is not null and seq <= (select max(seq) from mail) - ?")
          .run(keptBehind)
      })
    },
    all: async () => database.query<MailRow, []>("select * from mail order by seq").all().map(asMail),
  }
}

interface Box {
  readonly name: string
  readonly state: string
}

function post(database: Database, letter: Letter, now: number): Result<readonly Posted[], MailFailure> {
  const boxes = database.query<Box, []>("select name, state from members order by rowid").all()
  const lead = database.query<{ lead: string }, []>("select lead from about").get()?.lead ?? ""
  const there = boxes.filter(({ state }) => state !== "gone")
  if (letter.to === "*")
    return ok(there.filter(({ name }) => name !== letter.from).map(({ name }) => drop(database, letter, name, now)))
  const to = boxes.find(({ name }) => name === letter.to)
  if (!to) return failed({ kind: "no_such_member", name: letter.to, members: there.map(({ name }) => name) })
  return ok([
    to.state === "gone" && to.name !== lead
      ? drop(database, letter, lead, now, letter.to)
      : drop(database, letter, to.name, now),
  ])
}

/** Puts it into a box, unless it is there already. */
function drop(database: Database, letter: Letter, to: string, now: number, meantFor?: string): Posted {
  database
    .query(
      `insert or ignore into mail (sender, recipient, type, text, summary, answers, approve, key, meant_for, sent_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      letter.from,
      to,
      letter.type,
      letter.text,
      letter.summary ?? null,
      letter.answers ?? null,
      letter.approve === undefined ? null : Number(letter.approve),
      letter.key,
      meantFor ?? null,
      now,
    )
  const { seq = 0 } =
    database
      .query<{ seq: number }, [string, string, string]>(
        "select seq from mail where sender = ? and key = ? and recipient = ?",
      )
      .get(letter.from, letter.key, to) ?? {}
  const { ahead = 0 } =
    database
      .query<{ ahead: number }, [string, string, number]>(
        `select count(*) as ahead from mail
         where recipient = ? and seq > (select read_to from members where name = ?) and seq < ?`,
      )
      .get(to, to, seq) ?? {}
  return { seq, to, ahead, ...(meantFor !== undefined && { meantFor }) }
}

/** What somebody who leaves has not read becomes the lead's, in the same order. */
export function forward(database: Database, name: string): void {
  database
    .query(
      `insert or ignore into mail (sender, recipient, type, text, summary, answers, approve, key, meant_for, sent_at)
       select sender, (select lead from about), type, text, summary, answers, approve, 'for ' || recipient || ' ' || key, recipient, sent_at from mail
       where recipient = ?1 and seq > (select read_to from members where name = ?1) and ?1 <> (select lead from about) order by seq`,
    )
    .run(name)
}

/** A word for the lead about a task, in the transaction that changed it; a list without a team has nobody to tell. */
export function notifyLead(
  database: Database,
  { from, text, key }: Pick<Letter, "from" | "text" | "key">,
  now: number,
): void {
  const lead = database
    .query<Box, []>("select name, state from members where name = (select lead from about)")
    .get()?.name
  // The lead knows what it did itself.
  if (lead === undefined || lead === from) return
  drop(database, { from, to: lead, type: "task_notification", text, key }, lead, now)
}

export const asMail = (row: MailRow): Mail => ({
  seq: row.seq,
  from: row.sender,
  to: row.recipient,
  type: row.type,
  text: row.text,
  ...(row.summary !== null && { summary: row.summary }),
  ...(row.answers !== null && { answers: row.answers }),
  ...(row.approve !== null && { approve: row.approve !== 0 }),
  ...(row.meant_for !== null && { meantFor: row.meant_for }),
  sentAt: row.sent_at,
  ...(row.delivered_at !== null && { deliveredAt: row.delivered_at }),
})

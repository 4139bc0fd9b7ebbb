/** Mail of a team in Postgres. */

import type { Letter, Mailboxes, MailFailure, Posted } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Notice } from "#ground/team/board.ts"
import { asMail, keptBehind, type MailRow } from "#ground/team/mail.ts"
import { leadOf } from "./task-rows.ts"
import type { ChangingRows, TeamDesk } from "./team-rows.ts"

export function openMail(desk: TeamDesk, clock: Clock): Mailboxes {
  return {
    send: (letter) => desk.write((rows) => post(rows, letter, clock.now())),
    after: async (reader, cursor) =>
      (
        await desk.rows<MailRow>(
          "select * from team_mail where team = $1 and recipient = $2 and seq > $3 order by seq",
          reader,
          cursor,
        )
      ).map(asMail),
    async delivered(reader, cursor) {
      await desk.write(async ({ change }) => {
        await change(
          "update team_members set read_to = $3 where team = $1 and name = $2 and read_to < $3 returning name",
          reader,
          cursor,
        )
        await change(
          `update team_mail set delivered_at = $4
           where team = $1 and recipient = $2 and seq <= $3 and delivered_at is null returning seq`,
          reader,
          cursor,
          clock.now(),
        )
        await change(
          `delete from team_mail where team = $1 and delivered_at is not null
           and seq <= (select max(seq) from team_mail where team = $1) - $2::integer returning seq`,
          keptBehind,
        )
      })
    },
    all: async () => (await desk.rows<MailRow>("select * from team_mail where team = $1 order by seq")).map(asMail),
  }
}

/** What somebody who leaves has not read becomes the lead's, in the same order. */
export async function forward(rows: ChangingRows, name: string): Promise<void> {
  const lead = await leadOf(rows)
  if (name === lead) return
  const unread = await rows.rows<MailRow & { key: string }>(
    `select * from team_mail where team = $1 and recipient = $2
     and seq > (select read_to from team_members where team = $1 and name = $2) order by seq`,
    name,
  )
  for (const row of unread) {
    const { from, type, text, summary, answers, approve, sentAt } = asMail(row)
    const letter: Letter = {
      from,
      to: lead,
      type,
      text,
      ...(summary !== undefined && { summary }),
      ...(answers !== undefined && { answers }),
      ...(approve !== undefined && { approve }),
      key: `for ${name} ${row.key}`,
    }
    await put(rows, letter, lead, sentAt, name)
  }
}

/** A word for the lead about a task, in the transaction that changed it. */
export async function notifyLead(rows: ChangingRows, notice: Notice, now: number): Promise<void> {
  const lead = await leadOf(rows)
  const [there] = await rows.rows<Box>("select name, state from team_members where team = $1 and name = $2", lead)
  // The lead knows what it did itself.
  if (there && lead !== notice.from) await put(rows, { ...notice, to: lead, type: "task_notification" }, lead, now)
}

interface Box {
  readonly name: string
  readonly state: string
}

async function post(rows: ChangingRows, letter: Letter, now: number): Promise<Result<readonly Posted[], MailFailure>> {
  const boxes = await rows.rows<Box>("select name, state from team_members where team = $1 order by place")
  const lead = await leadOf(rows)
  const there = boxes.filter(({ state }) => state !== "gone")
  if (letter.to === "*") {
    const posted: Posted[] = []
    for (const { name } of there) if (name !== letter.from) posted.push(await drop(rows, letter, name, now))
    return ok(posted)
  }
  const to = boxes.find(({ name }) => name === letter.to)
  if (!to) return failed({ kind: "no_such_member", name: letter.to, members: there.map(({ name }) => name) })
  if (to.state === "gone" && to.name !== lead) return ok([await drop(rows, letter, lead, now, letter.to)])
  return ok([await drop(rows, letter, to.name, now)])
}

async function drop(rows: ChangingRows, letter: Letter, to: string, now: number, meantFor?: string): Promise<Posted> {
  const seq = await put(rows, letter, to, now, meantFor)
  const [{ ahead = 0 } = {}] = await rows.rows<{ ahead: number }>(
    `select count(*)::integer as ahead from team_mail where team = $1 and recipient = $2 and seq < $3
     and seq > (select read_to from team_members where team = $1 and name = $2)`,
    to,
    seq,
  )
  return { seq, to, ahead, ...(meantFor !== undefined && { meantFor }) }
}

/** Puts it into a box, unless it is there already. */
async function put(rows: ChangingRows, letter: Letter, to: string, now: number, meantFor?: string): Promise<number> {
  const [there] = await rows.rows<{ seq: number }>(
    "select seq from team_mail where team = $1 and sender = $2 and key = $3 and recipient = $4",
    letter.from,
    letter.key,
    to,
  )
  if (there) return there.seq
  const seq = await rows.next("mail")
  await rows.change(
    `insert into team_mail (team, seq, sender, recipient, type, text, summary, answers, approve, key, meant_for, sent_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning seq`,
    seq,
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
  return seq
}

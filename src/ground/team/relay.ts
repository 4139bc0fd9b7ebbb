/** What the processes of a team tell each other, in its file. */

import type { Database } from "bun:sqlite"
import type { OthersSpending } from "#agent/words/budget.ts"
import type { ProcessSpending, Relay, RelayAsk, RelayAskKind, RelaySpending } from "#agent/words/relay.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { TeamDatabase } from "./database.ts"

/** Made whenever the file is opened: files of earlier versions do not have them. */
const tables = `
create table if not exists handed (one integer primary key check (one = 1), body text not null) strict;
create table if not exists asks (
  seq integer primary key autoincrement,
  id text not null unique,
  member text not null,
  kind text not null,
  body text not null,
  answer text,
  run text,
  cost_usd real not null default 0,
  tokens integer not null default 0
) strict;
create index if not exists open_asks on asks (seq) where answer is null;
create table if not exists orders (
  seq integer primary key autoincrement,
  member text not null,
  body text not null
) strict;
create table if not exists spending (
  run text primary key,
  spent_usd real not null,
  spent_tokens integer not null,
  reserved_usd real not null,
  reserved_tokens integer not null,
  taken_usd real not null default 0,
  taken_tokens integer not null default 0
) strict;
`

/** Answers are kept for a member that was killed before it read them; so many are enough. */
const keptAnswers = 500

interface AskRow {
  readonly id: string
  readonly member: string
  readonly kind: RelayAskKind
  readonly body: string
}

export function openRelay({ database, write }: TeamDatabase): Relay {
  write(() => database.run(tables))
  const handed = database.query<{ body: string }, []>("select body from handed")
  const open = database.query<AskRow, []>("select id, member, kind, body from asks where answer is null order by seq")
  const answered = database.query<{ answer: string | null }, [string]>("select answer from asks where id = ?")
  const orders = database.query<{ seq: number; body: string }, [string, number]>(
    "select seq, body from orders where member = ? and seq > ? order by seq",
  )
  let known: { readonly body: string; readonly value: JsonObject } | undefined
  return {
    handDown(body) {
      write(() =>
        database
          .query("insert into handed (one, body) values (1, ?) on conflict (one) do update set body = excluded.body")
          .run(JSON.stringify(body)),
      )
    },
    handed() {
      const row = handed.get()
      if (row && row.body !== known?.body) known = { body: row.body, value: parsed(row.body) }
      return row ? known?.value : undefined
    },
    ask(ask) {
      write(() => insert(database, ask))
    },
    asks: () => open.all().map((row) => ({ ...row, body: parsed(row.body) })),
    answer: (id, answer) =>
      write(() => {
        const { changes } = database
          .query("update asks set answer = ? where id = ? and answer is null")
          .run(JSON.stringify(answer), id)
        database
          .query("delete from asks where answer is not null and seq <= (select max(seq) from asks) - ?")
          .run(keptAnswers)
        return changes > 0
      }),
    answerTo(id) {
      const text = answered.get(id)?.answer
      return typeof text === "string" ? parsed(text) : undefined
    },
    withdraw(id) {
      write(() => database.query("delete from asks where id = ? and answer is null").run(id))
    },
    order(member, body) {
      write(() => database.query("insert into orders (member, body) values (?, ?)").run(member, JSON.stringify(body)))
    },
    orders: (member, after) => orders.all(member, after).map(({ seq, body }) => ({ seq, body: parsed(body) })),
    spending: openSpending(database, write),
  }
}

function insert(database: Database, { id, member, kind, body }: RelayAsk): void {
  database
    .query(
      `insert into asks (id, member, kind, body) values (?, ?, ?, ?)
       on conflict (id) do update set body = excluded.body, answer = null where body <> excluded.body`,
    )
    .run(id, member, kind, JSON.stringify(body))
}

interface Total {
  readonly usd: number | null
  readonly tokens: number | null
  readonly reserved_usd: number | null
  readonly reserved_tokens: number | null
}

function openSpending(database: Database, write: TeamDatabase["write"]): RelaySpending {
  // What the lead has taken over is in its own row, too.
  const others = database.query<Total, [string]>(`
    select sum(case when run = ?1 then 0 else spent_usd + reserved_usd end - taken_usd) as usd,
           sum(case when run = ?1 then 0 else spent_tokens + reserved_tokens end - taken_tokens) as tokens,
           sum(case when run = ?1 then 0 else reserved_usd end) as reserved_usd,
           sum(case when run = ?1 then 0 else reserved_tokens end) as reserved_tokens
    from spending`)
  const put = database.query(`
    insert into spending (run, spent_usd, spent_tokens, reserved_usd, reserved_tokens) values (?, ?, ?, ?, ?)
    on conflict (run) do update set
      spent_usd = excluded.spent_usd, spent_tokens = excluded.spent_tokens,
      reserved_usd = excluded.reserved_usd, reserved_tokens = excluded.reserved_tokens`)
  const keep = (run: string, { spent, reserved }: ProcessSpending): void =>
    void put.run(run, spent.costUsd, spent.tokens, reserved.costUsd, reserved.tokens)
  const othersThan = (run: string): OthersSpending => {
    const all = others.get(run)
    return {
      costUsd: all?.usd ?? 0,
      tokens: all?.tokens ?? 0,
      reserved: { costUsd: all?.reserved_usd ?? 0, tokens: all?.reserved_tokens ?? 0 },
    }
  }
  return {
    inTurn(run, work) {
      write(() => {
        const now = work(othersThan(run))
        if (now) keep(run, now)
      })
    },
    settle(run, now, spent, { costUsd, tokens }) {
      write(() => {
        keep(run, now)
        insert(database, spent)
        database
          .query("update asks set run = ?, cost_usd = ?, tokens = ? where id = ?")
          .run(run, costUsd, tokens, spent.id)
      })
    },
    takeOver(id) {
      write(() => {
        database
          .query(
            `update spending set taken_usd = taken_usd + asks.cost_usd, taken_tokens = taken_tokens + asks.tokens
             from asks where asks.id = ? and asks.run = spending.run`,
          )
          .run(id)
        database.query("delete from asks where id = ?").run(id)
      })
    },
    release(run) {
      write(() => database.query("update spending set reserved_usd = 0, reserved_tokens = 0 where run = ?").run(run))
    },
  }
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

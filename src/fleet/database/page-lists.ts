/** What people find sessions by, what they chose before, and what sessions cost over time. */

import { isAbsolute } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { SqlValue } from "#lib/database.ts"
import type { SessionOpening } from "#fleet/records.ts"
import type { FleetLists, SessionTemplate } from "#fleet/store/lists.ts"
import { repositoryOf } from "#fleet/workspaces.ts"
import { addAudit, type Db } from "./transaction.ts"
import { now } from "./tables.ts"

/** Of those before, so many are looked at for what was chosen. */
const recent = 200
/** Of a month, so many are counted one by one. */
const mostCounted = 50_000

interface ChosenRow {
  readonly opening: string
  readonly model: string
  readonly mode: PermissionMode
}

export function openLists(db: Db): FleetLists {
  return {
    async find(wish) {
      const newest = await db.rows<{ id: string }>(...newestThat(wish))
      const isEnough = newest.length >= wish.limit || queryOf(wish.words) === null
      const found = isEnough ? newest : await db.rows<{ id: string }>(...saidThat(wish))
      return found.map(({ id }) => id)
    },
    async chosen(createdBy) {
      const found = await db.rows<ChosenRow>(
        `select opening, model, mode from fleet_sessions where created_by = $1 and lead is null order by place desc limit ${recent}`,
        [createdBy],
      )
      return found.map(({ opening, model, mode }) => ({
        workspace: (JSON.parse(opening) as SessionOpening).workspace,
        model,
        mode,
      }))
    },
    async people() {
      const found = await db.rows<{ name: string }>(
        "select name from fleet_tokens where revoked_at is null order by name",
      )
      return found.map(({ name }) => name)
    },
    async usage(sinceMs, createdBy) {
      const found = await db.rows<{
        created_at: number
        created_by: string
        model: string
        cost_usd: number
        opening: string
      }>(
        `select created_at, created_by, model, cost_usd, opening from fleet_sessions
         where created_at > ${now} - $1::double precision and ($2::text is null or created_by = $2)
         order by created_at desc limit ${mostCounted}`,
        [sinceMs, createdBy ?? null],
      )
      return found.map((row) => ({
        at: row.created_at,
        by: row.created_by,
        model: row.model,
        costUsd: row.cost_usd,
        workspace: (JSON.parse(row.opening) as SessionOpening).workspace,
      }))
    },
    async templates() {
      const found = await db.rows<{ content: string }>("select content from fleet_templates order by name limit 200")
      return found.map(({ content }) => JSON.parse(content) as SessionTemplate)
    },
    saveTemplate: (template, by) =>
      db.write(async (sql) => {
        await sql.rows(
          `insert into fleet_templates (name, content, saved_by, at) values ($1, $2, $3, ${now})
           on conflict (name) do update set content = excluded.content, saved_by = excluded.saved_by, at = excluded.at`,
          [template.name, JSON.stringify(template), by],
        )
        await addAudit(sql, by, `template ${template.name} saved`)
      }),
    removeTemplate: (name, by) =>
      db.write(async (sql) => {
        const gone = await sql.rows("delete from fleet_templates where name = $1 returning name", [name])
        if (gone.length > 0) await addAudit(sql, by, `template ${name} removed`)
        return gone.length > 0
      }),
  }
}

type Statement = [text: string, values: readonly SqlValue[]]
type SessionSearch = Parameters<FleetLists["find"]>[0]

/** Of the newest so many, each is read for its words. */
const mostRead = 2_000

/** Parts of paths and addresses are words too, and so is what looks like a tag. The index has the same expression. */
export const searchedText: string = String.raw`to_tsvector('simple', translate(title || ' ' || left(query, 10000), './\-@:<>&=?#%+~*$,;()[]{}|!"''^', repeat(' ', 40)))`

/** What is not asked for is no part of the statement, so that its plan is for what is. */
function conditionsOf(
  { createdBy, visibleTo, stages, place, model, after }: SessionSearch,
  nth: (value: SqlValue) => string,
): { readonly range: readonly string[]; readonly more: readonly string[] } {
  return {
    range: [
      ...[createdBy, visibleTo].flatMap((name) => (name === undefined ? [] : [`created_by = ${nth(name)}`])),
      ...(place === undefined ? [] : [inRepository(place, nth)]),
      ...(after === undefined ? [] : [`place < (select place from fleet_sessions where id = ${nth(after)})`]),
    ],
    more: [
      ...(stages === undefined ? [] : [`stage = any(${nth(stages)}::text[])`]),
      ...(model === undefined ? [] : [`model = ${nth(model)}`]),
    ],
  }
}

/** A folder may be one that sessions work in, or one that they clone. */
function inRepository(place: string, nth: (value: SqlValue) => string): string {
  const [address, folder] = [repositoryOf({ git: { url: place } }), repositoryOf({ path: place })]
  return isAbsolute(place) && folder !== address
    ? `repository in (${nth(address)}, ${nth(folder)})`
    : `repository = ${nth(address)}`
}

const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`

/** By age. With words, only among the newest: to read a million sessions for a word that few have takes a minute. */
function newestThat(wish: SessionSearch): Statement {
  const values: SqlValue[] = [wish.limit]
  const nth = (value: SqlValue): string => `$${values.push(value)}`
  const { range, more } = conditionsOf(wish, nth)
  const words = queryOf(wish.words)
  const from =
    words === null
      ? `fleet_sessions ${where([...range, ...more])}`
      : `(select * from fleet_sessions ${where(range)} order by place desc limit ${mostRead}) as newest ${where([...more, `${searchedText} @@ to_tsquery('simple', ${nth(words)})`])}`
  return [`select id from ${from} order by place desc limit $1::integer`, values]
}

/** By the index of words: what is not among the newest is so rare that all of it can be sorted. Planners would walk by age for a page of it. */
function saidThat(wish: SessionSearch): Statement {
  const values: SqlValue[] = [wish.limit]
  const nth = (value: SqlValue): string => `$${values.push(value)}`
  const { range, more } = conditionsOf(wish, nth)
  const words = `${searchedText} @@ to_tsquery('simple', ${nth(queryOf(wish.words))})`
  const found = `select id, place from fleet_sessions ${where([words, ...range, ...more])}`
  return [`with found as materialized (${found}) select id from found order by place desc limit $1::integer`, values]
}

/** Every word, or the beginning of one; nothing in it is an operator. */
function queryOf(words: string | undefined): string | null {
  const all = words?.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return all.length === 0 ? null : all.map((word) => `'${word}':*`).join(" & ")
}

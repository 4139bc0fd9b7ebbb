/** What people find sessions by, what they chose before, and what sessions cost over time. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionOpening } from "#fleet/records.ts"
import type { FleetLists, SessionTemplate } from "#fleet/store.ts"
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
    async find({ words, createdBy, visibleTo, stages, place, model, limit, after }) {
      const found = await db.rows<{ id: string }>(
        `select id from fleet_sessions as session
         where ($1::text is null or to_tsvector('simple', title || ' ' || left(query, 10000)) @@ to_tsquery('simple', $1))
           and ($2::text is null or created_by = $2) and ($3::text is null or created_by = $3)
           and ($4::text[] is null or stage = any($4::text[]))
           and ($5::text is null or position($5 in opening) > 0)
           and ($6::text is null or model = $6)
           and ($7::text is null or place < (select place from fleet_sessions where id = $7))
         order by place desc limit $8::integer`,
        [
          queryOf(words),
          createdBy ?? null,
          visibleTo ?? null,
          stages ?? null,
          place === undefined ? null : JSON.stringify(place),
          model ?? null,
          after ?? null,
          limit,
        ],
      )
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

/** Every word, or the beginning of one; nothing in it is an operator. */
function queryOf(words: string | undefined): string | null {
  const all = words?.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return all.length === 0 ? null : all.map((word) => `'${word}':*`).join(" & ")
}

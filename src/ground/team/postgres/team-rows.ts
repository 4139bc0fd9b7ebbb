/** Statements about one team. Whoever changes something has the team to themselves until the end of the transaction. */

import type { Database, Sql, SqlValue } from "#lib/database.ts"

/** `$1` is the team in every statement. */
export interface TeamRows {
  readonly rows: <Row extends object>(statement: string, ...values: readonly SqlValue[]) => Promise<readonly Row[]>
}

export interface ChangingRows extends TeamRows {
  /** A statement with `returning`: if it returns nothing, nothing has changed, and nobody is told. */
  readonly change: <Row extends object>(statement: string, ...values: readonly SqlValue[]) => Promise<readonly Row[]>
  /** The next number of a series: higher than all before, and never used again. */
  readonly next: (series: "task" | "mail" | "lease") => Promise<number>
}

export interface TeamDesk extends TeamRows {
  readonly write: <T>(work: (rows: ChangingRows) => Promise<T>) => Promise<T>
}

export const topic = "team"

export function openTeamDesk(parts: {
  readonly database: Database
  readonly team: string
  readonly changed: () => void
  readonly guard: ((sql: Sql) => Promise<void>) | undefined
  readonly onChange: ((sql: Sql, rows: TeamRows) => Promise<void>) | undefined
}): TeamDesk {
  const { database, team, changed } = parts
  const statements =
    (sql: Sql): TeamRows["rows"] =>
    (statement, ...values) =>
      sql.rows(statement, [team, ...values])
  return {
    rows: statements(database),
    async write(work) {
      let hasChanged = false
      const value = await database.transaction(
        async (sql) => {
          hasChanged = false
          const rows = statements(sql)
          await rows("select 1 from teams where id = $1 for update")
          await parts.guard?.(sql)
          const change: ChangingRows["change"] = async (statement, ...values) => {
            const found = await sql.rows<never>(statement, [team, ...values])
            hasChanged ||= found.length > 0
            return found
          }
          const next: ChangingRows["next"] = async (series) => {
            const column = `last_${series}`
            const raise = `update teams set ${column} = ${column} + 1 where id = $1 returning ${column} as last`
            const [row] = await sql.rows<{ last: number }>(raise, [team])
            return row?.last ?? 0
          }
          const done = await work({ rows, change, next })
          if (hasChanged) {
            await parts.onChange?.(sql, { rows })
            await sql.tell(topic, team)
          }
          return done
        },
        { locks: "its own" },
      )
      if (hasChanged) changed()
      return value
    },
  }
}

/** `name = $3, other = $4`, for an update that has used two values already. */
export const assignments = (values: object): string =>
  Object.keys(values)
    .map((name, at) => `${name} = $${at + 3}`)
    .join(", ")

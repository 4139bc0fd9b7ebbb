/** Brings the tables of a store to the version of the program: each step once, whoever else starts at the same time. */

import { type Database, enterSection, type Schema, type SchemaFailure, type Sql } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"

type Transaction = Database["transaction"]

export async function migrate(transaction: Transaction, { name, steps }: Schema): Promise<Result<void, SchemaFailure>> {
  // Most programs find everything as it should be, and need not wait for others.
  const before = await transaction((sql) => versionOf(sql, name), { locks: "its own" })
  if (before === steps.length) return ok(undefined)
  return transaction(
    async (sql) => {
      await enterSection(sql, "migrations")
      const is = await versionOf(sql, name)
      if (is > steps.length) return failed({ kind: "newer_schema", name, is, known: steps.length })
      for (const [at, step] of steps.entries()) {
        if (at < is) continue
        for (const statement of statementsOf(step)) await sql.rows(statement)
        await sql.rows("insert into migrations (name, version) values ($1, $2)", [name, at + 1])
      }
      return ok(undefined)
    },
    { locks: "its own" },
  )
}

/** How many steps were applied. The table itself is made when the database is opened. */
async function versionOf(sql: Sql, name: string): Promise<number> {
  const [row] = await sql.rows<{ version: number | null }>(
    "select max(version) as version from migrations where name = $1",
    [name],
  )
  return row?.version ?? 0
}

/** A semicolon at the end of a line ends a statement. */
const statementsOf = (step: string): readonly string[] =>
  step
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/** What must be there before any store: the schema, and the table of what was applied. Several programs may start at once. */
export async function layFoundation(transaction: Transaction, schema: string): Promise<void> {
  await transaction(
    async (sql) => {
      const [found] = await sql.rows<{ table: string | null }>(
        `select to_regclass('${schema}.migrations')::text as table`,
      )
      if (found?.table) return
      await sql.rows(`select pg_advisory_xact_lock(hashtextextended('${schema} foundation', 0))`)
      await sql.rows(`create schema if not exists ${schema}`)
      await sql.rows(
        `create table if not exists ${schema}.migrations (
           name text not null, version integer not null, applied_at timestamptz not null default now(), primary key (name, version)
         )`,
      )
    },
    { locks: "its own" },
  )
}

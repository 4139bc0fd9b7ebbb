/** What a server's autovacuum does, for an engine inside one process: the space of changed and removed rows is used again. */

import type { PGlite } from "@electric-sql/pglite"

/** To be called after each change: after so many, tables with much that is dead are cleaned, beside the work of others. */
export interface Upkeep {
  readonly changed: () => void
  /** Until this, files of the engine still hold what was deleted. */
  readonly purge: () => Promise<void>
  /** When what is under way is over. */
  readonly settled: () => Promise<void>
}

export function openUpkeep(postgres: PGlite, hasSpace: () => boolean, every = 2_000): Upkeep {
  let changes = 0
  let running: Promise<void> | undefined

  async function clean(): Promise<void> {
    // Otherwise the engine counts only what is older than a second.
    await postgres.query("select pg_stat_force_next_flush()")
    const worn = await postgres.query<{ readonly name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
       where n_dead_tup > 1000 + n_live_tup / 5`,
    )
    for (const { name } of worn.rows) if (hasSpace()) await postgres.query(`vacuum (analyze) ${name}`)
  }

  async function purge(): Promise<void> {
    const tables = await postgres.query<{ readonly name: string }>(
      "select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables",
    )
    for (const { name } of tables.rows) if (hasSpace()) await postgres.query(`vacuum (full, analyze) ${name}`)
    // It keeps samples of values.
    await postgres.query("vacuum full pg_catalog.pg_statistic")
    // The engine's log has them too, until it begins another file and removes the one before instead of using it again.
    for (const statement of ["set wal_recycle = off", "checkpoint", "select pg_switch_wal()", "checkpoint"])
      await postgres.query(statement)
  }

  return {
    purge,
    changed() {
      if (++changes < every || running) return
      changes = 0
      running = clean()
        // What cannot be cleaned now is cleaned next time.
        .catch(() => undefined)
        .finally(() => (running = undefined))
    },
    settled: async () => running,
  }
}

/** One SQLite file for a team. Its locks are the system's, so that a process that dies holds none, and what it had not finished is undone. */

import type { Database, SQLQueryBindings } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TeamAbout } from "#agent/words/team.ts"
import { fromFirstFormat, sqliteSteps } from "./tables.ts"
import { sealAllMail } from "./mail.ts"
import { openKey } from "./seals.ts"
import { sealAllTasks } from "./task-rows.ts"
import type { TeamSql, Work } from "./sql.ts"

/** The only team of a file. */
const team = "team"

export interface TeamDatabase {
  readonly database: Database
  readonly sql: TeamSql
  /** All of it or nothing, and nobody else writes meanwhile. Whoever listens is told if anything changed. */
  readonly write: <T>(work: () => T) => T
}

/** Opens the file; `found` describes the team if the file has to be made. */
export async function openTeamDatabase(path: string, found: TeamAbout, changed: () => void): Promise<TeamDatabase> {
  const sqlite = await import("bun:sqlite")
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = new sqlite.Database(path, { create: true, strict: true })
  try {
    database.run("pragma busy_timeout = 20000")
    database.run("pragma journal_mode = wal")
    // A message that was sent is on the disk, as an entry of a log is.
    database.run("pragma synchronous = full")
    const inOne = database.transaction((work: () => unknown) => work())
    const count = database.query<{ total: number }, []>("select total_changes() as total")
    function write<T>(work: () => T): T {
      const before = count.get()?.total
      // The work's own result comes back, which the library's types do not say.
      const value = inOne.immediate(work) as T
      if (count.get()?.total !== before) changed()
      return value
    }
    const run = runner(database, openKey(path === ":memory:" ? undefined : join(dirname(path), "key")))
    write(() => {
      if (prepare(database, found) !== "carried over") return
      run(sealAllTasks())
      run(sealAllMail())
    })
    return {
      database,
      write,
      sql: {
        read: async (work) => run(work()),
        snapshot: async (work) =>
          inOne.deferred(() => run(work())) as ReturnType<typeof work> extends Work<infer T> ? T : never,
        async write(work) {
          let hasChanged = false
          // The work's own result comes back, which the library's types do not say.
          const value = inOne.immediate(() => run(work(), () => void (hasChanged = true)))
          if (hasChanged) changed()
          return value as ReturnType<typeof work> extends Work<infer T> ? T : never
        },
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** From start to end without a pause. */
function runner(database: Database, seal: (text: string) => string): <T>(work: Work<T>, onChange?: () => void) => T {
  const prepared = new Map<string, string>()
  const numbered = (text: string): string => {
    const known = prepared.get(text) ?? text.replaceAll(/\$(?=\d)/g, "?")
    prepared.set(text, known)
    return known
  }
  return (work, onChange = () => {}) => {
    for (let step = work.next(); ;) {
      if (step.done) return step.value
      if ("seal" in step.value) {
        step = work.next([{ seal: seal(step.value.seal) }])
        continue
      }
      const { text, values, changes } = step.value
      const bindings = [team, ...values] as SQLQueryBindings[]
      // The library keeps what it prepared, by its text.
      const found = database.query<object, SQLQueryBindings[]>(numbered(text)).all(...bindings)
      if (changes && found.length > 0) onChange()
      step = work.next(found)
    }
  }
}

/** Formats of these tables are numbered from here, by the steps that were applied. */
const firstStep = 10

function prepare(database: Database, { name, description, lead }: TeamAbout): "carried over" | "as it was" {
  const { user_version: is } = database.query<{ user_version: number }, []>("pragma user_version").get() ?? {
    user_version: 0,
  }
  const newest = firstStep + sqliteSteps.length
  if (is === newest) return "as it was"
  if ((is > 1 && is <= firstStep) || is > newest)
    throw new Error(`This team was made by another version of Codewright (its file has format ${is}).`)
  for (const step of sqliteSteps.slice(Math.max(0, is - firstStep))) database.run(step)
  if (is === 1) database.run(fromFirstFormat(team))
  database.run(`pragma user_version = ${newest}`)
  if (is === 0)
    database
      .query("insert into teams (id, name, description, lead) values (?, ?, ?, ?)")
      .run(team, name, description ?? null, lead)
  return is === 1 ? "carried over" : "as it was"
}

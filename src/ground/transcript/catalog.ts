/**
 * All sessions at a glance: a catalogue beside the logs. Each question brings up to date what it needs, and nothing
 * else does: a list of the newest sessions costs the same however many there are.
 */

import type { Database } from "bun:sqlite"
import { type CatalogUpdate, openCatalogUpdate } from "./catalog-update.ts"
import { openCatalogFile, removeCatalogFile } from "./catalog-file.ts"
import type { FoundKind } from "./digest.ts"
import { searchPassages } from "./search-passages.ts"
import { codeOf } from "#lib/error-code.ts"

export interface SessionRow {
  readonly id: string
  readonly path: string
  readonly cwd: string
  readonly title: string | undefined
  readonly firstPrompt: string
  readonly branch: string
  readonly model: string
  /** The session it was forked from. */
  readonly parent: string | undefined
  /** Milliseconds since the epoch. */
  readonly created: number
  readonly changed: number
  readonly messages: number
  readonly prompts: number
  readonly bytes: number
  readonly costUsd: number
  readonly tokens: number
}

export interface FoundSession extends SessionRow {
  /** The last match, with the search terms between \u0001 and \u0002. */
  readonly passage: { readonly kind: FoundKind; readonly uuid: string; readonly at: number; readonly text: string }
}

export interface SpentRow {
  readonly day: string
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheWriteTokens: number
  readonly cacheReadTokens: number
  readonly costUsd: number
}

export interface Scope {
  readonly cwd?: string
  readonly limit: number
}

export interface Catalog {
  /** Newest first. Sessions without any prompt are left out. */
  readonly list: (scope: Scope) => Promise<readonly SessionRow[]>
  readonly search: (words: string, scope: Scope) => Promise<readonly FoundSession[]>
  readonly named: (prefix: string) => Promise<readonly SessionRow[]>
  readonly titled: (title: string, cwd: string) => Promise<readonly SessionRow[]>
  /** Since a day, `2026-01-31`, per day and model. */
  readonly spent: (since: string, cwd?: string) => Promise<readonly SpentRow[]>
  readonly sessionsSince: (since: string, cwd?: string) => Promise<number>
  /** The same for each day on which some did. */
  readonly sessionsPerDay: (since: string, cwd?: string) => Promise<readonly DayCount[]>
  /** The file snapshots that each session may still go back to, by the session's id. */
  readonly snapshots: () => Promise<ReadonlyMap<string, ReadonlySet<string>>>
}

export interface DayCount {
  readonly day: string
  readonly count: number
}

/** Opens the catalogue while `use` runs. A corrupt one is created again. */
export async function withCatalog<T>(
  place: { readonly file: string; readonly projects: string },
  use: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  try {
    return await usedOnce(place, use)
  } catch (error) {
    if (!isBroken(error)) throw error
    removeCatalogFile(place.file)
    return usedOnce(place, use)
  }
}

async function usedOnce<T>(
  { file, projects }: { readonly file: string; readonly projects: string },
  use: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  const database = await openCatalogFile(file)
  try {
    return await use(catalogOver(database, openCatalogUpdate(database, projects)))
  } finally {
    database.close()
  }
}

const isBroken = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|IOERR|ERROR|SCHEMA)/.test(codeOf(error))

function catalogOver(database: Database, upToDate: CatalogUpdate): Catalog {
  const rows = (where: string, values: Record<string, string | number>): readonly SessionRow[] =>
    (database.query(`${select} ${where}`).all(values) as Raw[]).map(rowOf)
  return {
    async list(scope) {
      const ids = JSON.stringify(await upToDate.newest(scope))
      return rows("where s.id in (select value from json_each($ids)) order by changed desc, s.id", { ids })
    },
    async named(prefix) {
      const from = prefix.toLowerCase()
      if (!/^[0-9a-f-]{1,36}$/.test(from)) return []
      await upToDate.rows(from)
      return rows("where session >= $from and session < $until order by changed desc", { from, until: `${from}g` })
    },
    async titled(title, cwd) {
      await upToDate.rows()
      return rows("where lower(title) = lower($title) and cwd = $cwd order by changed desc", { title, cwd })
    },
    async search(words, scope) {
      await upToDate.passages()
      const found = searchPassages(database, words, scope)
      return found
        .flatMap(({ session, ...passage }) =>
          rows("where s.id = $session", { session }).map((row): FoundSession => ({ ...row, passage })),
        )
        .sort((a, b) => b.changed - a.changed)
    },
    async spent(since, cwd) {
      await upToDate.rows()
      return database
        .query(
          `select day, spent.model as model, sum(requests) as requests,
             sum(input) as inputTokens, sum(output) as outputTokens, sum(cache_write) as cacheWriteTokens,
             sum(cache_read) as cacheReadTokens, sum(cost) as costUsd
           from spent join sessions s on s.id = spent.session
           where day >= $since and ($cwd = '' or cwd = $cwd)
           group by day, spent.model order by day, spent.model`,
        )
        .all({ since, cwd: cwd ?? "" }) as SpentRow[]
    },
    async snapshots() {
      await upToDate.rows()
      const all = database
        .query("select s.session as session, snapshot from snapshots join sessions s on s.id = snapshots.session")
        .all() as { readonly session: string; readonly snapshot: string }[]
      const of = Map.groupBy(all, ({ session }) => session)
      return new Map([...of].map(([session, some]) => [session, new Set(some.map(({ snapshot }) => snapshot))]))
    },
    async sessionsPerDay(since, cwd) {
      await upToDate.rows()
      return database
        .query(
          `select day, count(distinct spent.session) as count from spent join sessions s on s.id = spent.session
           where day >= $since and ($cwd = '' or cwd = $cwd) group by day order by day`,
        )
        .all({ since, cwd: cwd ?? "" }) as DayCount[]
    },
    async sessionsSince(since, cwd) {
      await upToDate.rows()
      const row = database
        .query(
          `select count(distinct spent.session) as count from spent join sessions s on s.id = spent.session
           where day >= $since and ($cwd = '' or cwd = $cwd)`,
        )
        .get({ since, cwd: cwd ?? "" }) as { count: number }
      return row.count
    },
  }
}

const select = `select s.*,
  (select coalesce(sum(cost), 0) from spent where spent.session = s.id) as cost,
  (select coalesce(sum(input + output + cache_write + cache_read), 0) from spent where spent.session = s.id) as tokens
  from sessions s`

interface Raw {
  readonly session: string
  readonly path: string
  readonly cwd: string
  readonly title: string | null
  readonly prompt: string
  readonly branch: string
  readonly model: string
  readonly parent: string | null
  readonly created: number
  readonly changed: number
  readonly messages: number
  readonly prompts: number
  readonly size: number
  readonly cost: number
  readonly tokens: number
}

const rowOf = (raw: Raw): SessionRow => ({
  id: raw.session,
  path: raw.path,
  cwd: raw.cwd,
  title: raw.title ?? undefined,
  firstPrompt: raw.prompt,
  branch: raw.branch,
  model: raw.model,
  parent: raw.parent ?? undefined,
  created: raw.created,
  changed: Math.round(raw.changed),
  messages: raw.messages,
  prompts: raw.prompts,
  bytes: raw.size,
  costUsd: raw.cost,
  tokens: raw.tokens,
})

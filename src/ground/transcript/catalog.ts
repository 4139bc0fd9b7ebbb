/**
 * All sessions at a glance: a catalogue beside the logs, brought up to date when it is read, never while a turn runs.
 */

import type { Database } from "bun:sqlite"
import { bringUpToDate } from "./catalog-update.ts"
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
  readonly list: (scope: Scope) => readonly SessionRow[]
  readonly search: (words: string, scope: Scope) => readonly FoundSession[]
  readonly named: (prefix: string) => readonly SessionRow[]
  readonly titled: (title: string, cwd: string) => readonly SessionRow[]
  /** Since a day, `2026-01-31`, per day and model. */
  readonly spent: (since: string, cwd?: string) => readonly SpentRow[]
  readonly sessionsSince: (since: string, cwd?: string) => number
  /** The same for each day on which some did. */
  readonly sessionsPerDay: (since: string, cwd?: string) => readonly { readonly day: string; readonly count: number }[]
  /** The file snapshots that some session may still go back to. */
  readonly snapshots: () => ReadonlySet<string>
}

/** Opens the catalogue, up to date, while `use` runs. A corrupt one is created again. */
export async function withCatalog<T>(
  place: { readonly file: string; readonly projects: string },
  use: (catalog: Catalog) => T,
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
  use: (catalog: Catalog) => T,
): Promise<T> {
  const database = await openCatalogFile(file)
  try {
    await bringUpToDate(database, projects)
    return use(catalogOver(database))
  } finally {
    database.close()
  }
}

const isBroken = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|IOERR|ERROR|SCHEMA)/.test(codeOf(error))

function catalogOver(database: Database): Catalog {
  const rows = (where: string, values: Record<string, string | number>): readonly SessionRow[] =>
    (database.query(`${select} ${where}`).all(values) as Raw[]).map(rowOf)
  return {
    list: ({ cwd, limit }) =>
      cwd === undefined
        ? rows("where prompts > 0 order by changed desc, s.id limit $limit", { limit })
        : rows("where prompts > 0 and cwd = $cwd order by changed desc, s.id limit $limit", { cwd, limit }),
    named: (prefix) =>
      /^[0-9a-f-]{1,36}$/i.test(prefix)
        ? rows("where session >= $from and session < $until order by changed desc", {
            from: prefix.toLowerCase(),
            until: `${prefix.toLowerCase()}g`,
          })
        : [],
    titled: (title, cwd) =>
      rows("where lower(title) = lower($title) and cwd = $cwd order by changed desc", { title, cwd }),
    search(words, scope) {
      const found = searchPassages(database, words, scope)
      return found
        .flatMap(({ session, ...passage }) =>
          rows("where s.id = $session", { session }).map((row): FoundSession => ({ ...row, passage })),
        )
        .sort((a, b) => b.changed - a.changed)
    },
    spent: (since, cwd) =>
      database
        .query(
          `select day, spent.model as model, sum(requests) as requests,
             sum(input) as inputTokens, sum(output) as outputTokens, sum(cache_write) as cacheWriteTokens,
             sum(cache_read) as cacheReadTokens, sum(cost) as costUsd
           from spent join sessions s on s.id = spent.session
           where day >= $since and ($cwd = '' or cwd = $cwd)
           group by day, spent.model order by day, spent.model`,
        )
        .all({ since, cwd: cwd ?? "" }) as SpentRow[],
    snapshots: () =>
      new Set(
        (database.query("select snapshot from snapshots").all() as { snapshot: string }[]).map(
          ({ snapshot }) => snapshot,
        ),
      ),
    sessionsPerDay: (since, cwd) =>
      database
        .query(
          `select day, count(distinct spent.session) as count from spent join sessions s on s.id = spent.session
           where day >= $since and ($cwd = '' or cwd = $cwd) group by day order by day`,
        )
        .all({ since, cwd: cwd ?? "" }) as { day: string; count: number }[],
    sessionsSince(since, cwd) {
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

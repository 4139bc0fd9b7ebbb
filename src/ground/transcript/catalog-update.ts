/**
 * Brings the catalogue up to date, as far as a question needs it: of each changed log, only what was appended since is
 * read, and a list of the newest sessions reads only those.
 */

import type { Database } from "bun:sqlite"
import { closeSync, fstatSync, openSync, type Stats } from "node:fs"
import { join } from "node:path"
import { endOfLines, readPiece } from "./backwards.ts"
import { type Digest, type DigestOf, digestLines } from "./digest.ts"
import { linesFrom } from "./forwards.ts"
import { folderIn, isSessionId } from "./session-logs.ts"
import { namesIn, statsOf } from "#lib/quietly.ts"

export interface CatalogUpdate {
  /** The numbers of the newest sessions with a prompt, newest first. */
  readonly newest: (scope: { readonly cwd?: string; readonly limit: number }) => Promise<readonly number[]>
  /** Every session, or those whose ids begin so. */
  readonly rows: (prefix?: string) => Promise<void>
  /** Every session with its searchable text. */
  readonly passages: () => Promise<void>
}

interface CatalogRow {
  readonly id: number
  readonly path: string
  readonly cwd: string
  readonly size: number
  readonly changed: number
  readonly inode: number
  /** How far the log was read. */
  readonly offset: number
  /** How far its passages were read; never further. */
  readonly searchable: number
  /** A checksum of what comes right before the offset. */
  readonly seal: number
}

interface LogFile {
  readonly path: string
  readonly session: string
  readonly stats: Stats
  readonly row: CatalogRow | undefined
}

export function openCatalogUpdate(database: Database, projects: string): CatalogUpdate {
  /** The logs there are, oldest first. Rows of those that are gone are removed. */
  function survey(prefix = ""): readonly LogFile[] {
    const rows = database
      .query(`select ${rowFields} from sessions where session >= $prefix and session < $prefix || 'g'`)
      .all({ prefix }) as CatalogRow[]
    const known = new Map(rows.map((row) => [row.path, row]))
    const logs: LogFile[] = []
    for (const { path, session } of logsIn(projects)) {
      if (!session.toLowerCase().startsWith(prefix)) continue
      const stats = statsOf(path)
      if (!stats?.isFile()) continue
      logs.push({ path, session, stats, row: known.get(path) })
      known.delete(path)
    }
    const forget = openForget(database)
    if (known.size > 0)
      database
        .transaction(() => {
          for (const { id } of known.values()) forget(id)
        })
        .immediate()
    return logs.sort((a, b) => a.stats.mtimeMs - b.stats.mtimeMs)
  }

  async function updateAll(logs: readonly LogFile[], of: DigestOf): Promise<void> {
    for (const batch of batches(logs)) {
      database
        .transaction(() => {
          for (const log of batch) update(database, log, of)
        })
        .immediate()
      // A first look at very many sessions takes a while, in which a screen wants to be drawn.
      await new Promise<void>((go) => setImmediate(go))
    }
  }

  /** Where these sessions were started, so that they need not be looked at for a list of another folder. */
  function noteFolders(logs: readonly Elsewhere[]): void {
    if (logs.length === 0) return
    const insert = database.query(
      `insert into sessions (session, path, cwd, changed, size, inode) values ($session, $path, $cwd, 0, -1, $inode)
       on conflict do nothing`,
    )
    database
      .transaction(() => {
        for (const { log, cwd } of logs)
          insert.run({ session: log.session.toLowerCase(), path: log.path, cwd, inode: log.stats.ino })
      })
      .immediate()
  }

  return {
    async newest({ cwd, limit }) {
      const found: number[] = []
      const elsewhere: Elsewhere[] = []
      const isListed = database.query(
        "select id from sessions where path = $path and prompts > 0 and ($cwd = '' or cwd = $cwd)",
      )
      let some: LogFile[] = []
      const collectListed = async (): Promise<void> => {
        await updateAll(some.filter(isChanged), "row")
        for (const { path } of some) {
          const row = isListed.get({ path, cwd: cwd ?? "" }) as { id: number } | null
          if (row) found.push(row.id)
        }
        some = []
      }
      for (const log of survey().toReversed()) {
        const other = cwd === undefined ? undefined : folderOf(log)
        if (other !== undefined && other !== cwd) {
          if (log.row === undefined) elsewhere.push({ log, cwd: other })
          continue
        }
        some.push(log)
        if (some.length < limit - found.length) continue
        await collectListed()
        if (found.length >= limit) break
      }
      await collectListed()
      noteFolders(elsewhere)
      return found
    },
    rows: (prefix) => updateAll(survey(prefix).filter(isChanged), "row"),
    passages: () =>
      updateAll(
        survey().filter((log) => isChanged(log) || (log.row?.searchable ?? 0) < (log.row?.offset ?? 0)),
        "passages",
      ),
  }
}

const rowFields = "id, path, cwd, size, changed, inode, offset, searchable, seal"

const isChanged = ({ stats, row }: LogFile): boolean =>
  row?.size !== stats.size || row.changed !== stats.mtimeMs || row.inode !== stats.ino

interface Elsewhere {
  readonly log: LogFile
  readonly cwd: string
}

/** Where a session was started, which never changes; undefined if its first line does not tell. */
function folderOf({ path, stats, row }: LogFile): string | undefined {
  if (row === undefined) return folderIn(path)
  return row.cwd === "" || row.inode !== stats.ino ? undefined : row.cwd
}

const batchLogs = 100
const batchBytes = 4_000_000

/** Enough work for one transaction. */
function* batches(logs: readonly LogFile[]): Generator<readonly LogFile[]> {
  let batch: LogFile[] = []
  let bytes = 0
  for (const log of logs) {
    batch.push(log)
    bytes += log.stats.size - (log.row?.offset ?? 0)
    if (batch.length < batchLogs && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

export function logsIn(projects: string): readonly { readonly path: string; readonly session: string }[] {
  return namesIn(projects).flatMap((project) =>
    namesIn(join(projects, project)).flatMap((name) => {
      const session = name.endsWith(".jsonl") ? name.slice(0, -6) : ""
      return isSessionId(session) ? [{ path: join(projects, project, name), session }] : []
    }),
  )
}

/** Under the database's lock, so that two processes never count a line twice. */
function update(database: Database, { path, session }: LogFile, of: DigestOf): void {
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch {
    return
  }
  try {
    const stats = fstatSync(fd)
    const { id, offset, searchable } = goOn(database, { path, session, fd, stats })
    const end = Math.max(endOfLines(fd, stats.size), offset)
    addLines(database, id, { fd, from: offset, end }, "row")
    if (of === "passages") addLines(database, id, { fd, from: searchable, end }, "passages")
    database
      .query(
        `update sessions set size = $size, changed = $changed, inode = $inode, offset = $offset, seal = $seal,
           searchable = $searchable
         where id = $id`,
      )
      .run({
        id,
        size: stats.size,
        changed: stats.mtimeMs,
        inode: stats.ino,
        offset: end,
        seal: sealAt(fd, end),
        searchable: of === "passages" ? end : searchable,
      })
  } finally {
    closeSync(fd)
  }
}

function addLines(
  database: Database,
  id: number,
  { fd, from, end }: { readonly fd: number; readonly from: number; readonly end: number },
  of: DigestOf,
): void {
  for (let at = from; at < end;) {
    const { lines, read } = linesFrom(fd, at, end)
    at += read
    add(database, id, digestLines(lines, of))
  }
}

/** The existing row if the log only grew, else a new one. */
function goOn(
  database: Database,
  log: { readonly path: string; readonly session: string; readonly fd: number; readonly stats: Stats },
): Pick<CatalogRow, "id" | "offset" | "searchable"> {
  const row = database
    .query(`select ${rowFields} from sessions where path = $path`)
    .get({ path: log.path }) as CatalogRow | null
  const hasGrown =
    row !== null &&
    row.inode === log.stats.ino &&
    log.stats.size >= row.offset &&
    sealAt(log.fd, row.offset) === row.seal
  if (hasGrown) return row
  if (row) openForget(database)(row.id)
  const made = database
    .query("insert into sessions (session, path, changed, size, inode) values ($session, $path, 0, 0, 0) returning id")
    .get({ session: log.session.toLowerCase(), path: log.path }) as { id: number }
  return { id: made.id, offset: 0, searchable: 0 }
}

function openForget(database: Database): (id: number) => void {
  const statements = [
    "delete from passages where session = $id",
    "delete from spent where session = $id",
    "delete from snapshots where session = $id",
    "delete from sessions where id = $id",
  ].map((text) => database.query(text))
  return (id) => {
    for (const statement of statements) statement.run({ id })
  }
}

const sealBytes = 256

function sealAt(fd: number, offset: number): number {
  const from = Math.max(0, offset - sealBytes)
  return Bun.hash.crc32(readPiece(fd, from, offset - from))
}

function add(database: Database, id: number, digest: Digest): void {
  const { cwd, parent, branch, title, firstPrompt, model, firstAt, messages, prompts } = digest
  database
    .query(
      `update sessions set
         cwd = case when cwd = '' then coalesce($cwd, '') else cwd end,
         parent = coalesce(parent, $parent),
         branch = coalesce($branch, branch),
         title = coalesce($title, title),
         prompt = case when prompt = '' then coalesce($prompt, '') else prompt end,
         model = coalesce($model, model),
         created = case when created = 0 then coalesce($created, 0) else created end,
         messages = messages + $messages,
         prompts = prompts + $prompts
       where id = $id`,
    )
    .run({
      id,
      cwd: cwd ?? null,
      parent: parent ?? null,
      branch: branch ?? null,
      title: title ?? null,
      prompt: firstPrompt ?? null,
      model: model ?? null,
      created: firstAt ?? null,
      messages,
      prompts,
    })
  const addSpent = database.query(
    `insert into spent values ($id, $day, $model, $requests, $input, $output, $write, $read, $cost)
     on conflict do update set requests = requests + $requests, input = input + $input, output = output + $output,
       cache_write = cache_write + $write, cache_read = cache_read + $read, cost = cost + $cost`,
  )
  for (const { day, model: payee, requests, usage, costUsd } of digest.spent)
    addSpent.run({
      id,
      day,
      model: payee,
      requests,
      input: usage.input_tokens,
      output: usage.output_tokens,
      write: usage.cache_creation_input_tokens,
      read: usage.cache_read_input_tokens,
      cost: costUsd,
    })
  const addPassage = database.query(
    "insert into passages (session, uuid, at, kind, text) values ($id, $uuid, $at, $kind, $text)",
  )
  const addSnapshot = database.query("insert or ignore into snapshots values ($id, $snapshot)")
  for (const snapshot of digest.snapshots) addSnapshot.run({ id, snapshot })
  for (const { uuid, at, kind, text } of digest.passages) addPassage.run({ id, uuid, at, kind, text })
}

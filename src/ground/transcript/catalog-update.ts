/** Brings the catalogue up to date: of each changed log, only what was appended since is read. */

import type { Database } from "bun:sqlite"
import { closeSync, fstatSync, openSync, readdirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { endOfLines, readPiece, textOf } from "./backwards.ts"
import { type Digest, digestLines } from "./digest.ts"
import { isSessionId } from "./session-logs.ts"

interface CatalogRow {
  readonly id: number
  readonly path: string
  readonly size: number
  readonly changed: number
  readonly inode: number
  /** How far the log was read. */
  readonly offset: number
  /** A checksum of what comes right before that. */
  readonly seal: number
}

export async function bringUpToDate(database: Database, projects: string): Promise<void> {
  const known = new Map(
    (database.query("select id, path, size, changed, inode, offset, seal from sessions").all() as CatalogRow[]).map(
      (row) => [row.path, row],
    ),
  )
  const changed: { readonly path: string; readonly session: string }[] = []
  for (const { path, session } of logsIn(projects)) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile()) continue
    const row = known.get(path)
    known.delete(path)
    if (row?.size !== stats.size || row.changed !== stats.mtimeMs || row.inode !== stats.ino)
      changed.push({ path, session })
  }
  const forget = openForget(database)
  for (const { id } of known.values()) database.transaction(() => forget(id)).immediate()
  for (const { path, session } of changed) {
    database.transaction(() => update(database, path, session)).immediate()
    // A first look at very many sessions takes a while, in which a screen wants to be drawn.
    await new Promise<void>((go) => setImmediate(go))
  }
}

export function logsIn(projects: string): readonly { readonly path: string; readonly session: string }[] {
  return listed(projects).flatMap((project) =>
    listed(join(projects, project)).flatMap((name) => {
      const session = name.endsWith(".jsonl") ? name.slice(0, -6) : ""
      return isSessionId(session) ? [{ path: join(projects, project, name), session }] : []
    }),
  )
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const pieceBytes = 4 * 1024 * 1024

/** Under the database's lock, so that two processes never count a line twice. */
function update(database: Database, path: string, session: string): void {
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch {
    return
  }
  try {
    const stats = fstatSync(fd)
    const id = goOn(database, { path, session, fd, stats })
    const { offset } = database.query("select offset from sessions where id = $id").get({ id }) as { offset: number }
    const end = endOfLines(fd, stats.size)
    let from = offset
    while (from < end) {
      const { lines, read } = linesFrom(fd, from, end)
      from += read
      add(database, id, digestLines(lines))
    }
    database
      .query(
        `update sessions set size = $size, changed = $changed, inode = $inode, offset = $offset, seal = $seal
         where id = $id`,
      )
      .run({
        id,
        size: stats.size,
        changed: stats.mtimeMs,
        inode: stats.ino,
        offset: Math.max(from, offset),
        seal: sealAt(fd, Math.max(from, offset)),
      })
  } finally {
    closeSync(fd)
  }
}

/** The existing row if the log only grew, else a new one. */
function goOn(
  database: Database,
  log: { readonly path: string; readonly session: string; readonly fd: number; readonly stats: Stats },
): number {
  const row = database
    .query("select id, path, size, changed, inode, offset, seal from sessions where path = $path")
    .get({ path: log.path }) as CatalogRow | null
  const hasGrown =
    row !== null &&
    row.inode === log.stats.ino &&
    log.stats.size >= row.offset &&
    sealAt(log.fd, row.offset) === row.seal
  if (hasGrown) return row.id
  if (row) openForget(database)(row.id)
  const made = database
    .query("insert into sessions (session, path, changed, size, inode) values ($session, $path, 0, 0, 0) returning id")
    .get({ session: log.session.toLowerCase(), path: log.path }) as { id: number }
  return made.id
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

/** Complete lines of about one piece; a longer line comes alone. */
function linesFrom(fd: number, from: number, end: number): { readonly lines: string[]; readonly read: number } {
  for (let length = pieceBytes; ; length *= 4) {
    const piece = readPiece(fd, from, Math.min(length, end - from))
    const isLast = from + piece.length >= end
    // The end is the end of a line, so all of a piece that reaches it is whole.
    const whole = isLast ? piece.length : piece.lastIndexOf(0x0a) + 1
    if (whole === 0 && piece.length > 0) continue
    const lines: string[] = []
    for (let at = 0; at < whole;) {
      const newline = piece.indexOf(0x0a, at)
      const stop = newline < 0 ? whole : newline
      if (stop > at) lines.push(textOf(piece.subarray(at, stop)))
      at = stop + 1
    }
    return { lines, read: whole === 0 ? end - from : whole }
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

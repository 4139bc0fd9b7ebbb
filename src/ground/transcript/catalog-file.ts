/**
 * The catalogue's database: its tables, and how it is opened. It is a cache: whatever is wrong with it, it will be
 * created again.
 */

import type { Database } from "bun:sqlite"
import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"

/** Raise with every change of the tables: a file of another version is created again. */
const version = 3

const tables = `
create table sessions (
  id integer primary key,
  session text not null,
  path text not null unique,
  cwd text not null default '',
  title text,
  prompt text not null default '',
  branch text not null default '',
  model text not null default '',
  parent text,
  created integer not null default 0,
  changed real not null,
  messages integer not null default 0,
  prompts integer not null default 0,
  size integer not null,
  inode integer not null,
  offset integer not null default 0,
  searchable integer not null default 0,
  seal integer not null default 0
);
create index sessions_by_change on sessions (changed desc);
create index sessions_by_name on sessions (session);
create table spent (
  session integer not null,
  day text not null,
  model text not null,
  requests integer not null,
  input integer not null,
  output integer not null,
  cache_write integer not null,
  cache_read integer not null,
  cost real not null,
  primary key (session, day, model)
) without rowid;
create table passages (
  id integer primary key,
  session integer not null,
  uuid text not null,
  at integer not null,
  kind text not null,
  text text not null
);
create index passages_by_session on passages (session);
create table snapshots (session integer not null, snapshot text not null, primary key (session, snapshot)) without rowid;
create virtual table words using fts5 (
  text, content = 'passages', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2"
);
create trigger passage_added after insert on passages begin
  insert into words (rowid, text) values (new.id, new.text);
end;
create trigger passage_removed after delete on passages begin
  insert into words (words, rowid, text) values ('delete', old.id, old.text);
end;
`

/** Opens the file, or one in memory if no file can be written: slower, but with the same answers. */
export async function openCatalogFile(path: string): Promise<Database> {
  const sqlite = await import("bun:sqlite")
  const open = (file: string): Database => {
    const database = new sqlite.Database(file, { create: true, strict: true })
    try {
      prepare(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return open(path)
  } catch {
    // What another process is busy with would have been waited for, so this file is broken, old or out of reach.
    removeCatalogFile(path)
  }
  try {
    return open(path)
  } catch {
    return open(":memory:")
  }
}

export function removeCatalogFile(path: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    try {
      rmSync(`${path}${end}`, { force: true, recursive: true })
    } catch {
      // Then it cannot be created again either, and the one in memory has to do.
    }
  }
}

function prepare(database: Database): void {
  database.run("pragma busy_timeout = 10000")
  database.run("pragma journal_mode = wal")
  // A cache may lose its last moments in a power cut.
  database.run("pragma synchronous = off")
  const make = database.transaction(() => {
    const found = versionOf(database)
    if (found === version) return
    if (found !== 0) throw new Error(`version ${found}`)
    database.run(tables)
    database.run(`pragma user_version = ${version}`)
  })
  if (versionOf(database) !== version) make.immediate()
  // Reads a page of each, so that a file that is no catalogue is known at once.
  database.query("select count(*) from sessions where id = 0").get()
}

function versionOf(database: Database): number {
  const row: unknown = database.query("pragma user_version").get()
  return typeof row === "object" && row !== null && "user_version" in row ? Number(row.user_version) : 0
}

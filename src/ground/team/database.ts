/** One SQLite file for a team. Its locks are the system's, so that a process that dies holds none, and what it had not finished is undone. */

import type { Database } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"

export interface TeamDatabase {
  readonly database: Database
  /** All of it or nothing, and nobody else writes meanwhile. Whoever listens is told if anything changed. */
  readonly write: <T>(work: () => T) => T
}

const version = 1

const schema = `
create table about (name text not null, description text, lead text not null) strict;
create table tasks (
  id integer primary key autoincrement,
  subject text not null,
  description text not null,
  active_form text,
  status text not null default 'pending',
  owner text,
  attempts integer not null default 0,
  notes text not null default '[]',
  metadata text not null default '{}',
  lease integer,
  beat integer not null default 0
) strict;
create index open_tasks on tasks (status, id) where status in ('pending', 'in_progress');
create table edges (blocker integer not null, blocked integer not null, primary key (blocker, blocked)) strict, without rowid;
create index edges_back on edges (blocked, blocker);
create table leases (last integer not null) strict;
insert into leases (last) values (0);
create table members (
  name text primary key,
  session_id text not null,
  agent_type text,
  color text,
  folder text,
  branch text,
  pid integer not null,
  start text not null,
  host text not null,
  state text not null,
  activity text,
  tokens integer not null default 0,
  cost_usd real not null default 0,
  joined_at integer not null,
  read_to integer not null default 0
) strict;
create table mail (
  seq integer primary key autoincrement,
  sender text not null,
  recipient text not null,
  type text not null,
  text text not null,
  summary text,
  answers integer,
  approve integer,
  key text not null,
  meant_for text,
  sent_at integer not null,
  delivered_at integer,
  unique (sender, key, recipient)
) strict;
create index boxes on mail (recipient, seq);
`

export interface TeamAbout {
  readonly name: string
  readonly description?: string
  readonly lead: string
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
    write(() => prepare(database, found))
    return { database, write }
  } catch (error) {
    database.close()
    throw error
  }
}

function prepare(database: Database, { name, description, lead }: TeamAbout): void {
  const { user_version: is } = database.query<{ user_version: number }, []>("pragma user_version").get() ?? {
    user_version: 0,
  }
  if (is === version) return
  if (is !== 0) throw new Error(`This team was made by another version of Codewright (its file has format ${is}).`)
  database.run(schema)
  database.run(`pragma user_version = ${version}`)
  database.query("insert into about (name, description, lead) values (?, ?, ?)").run(name, description ?? null, lead)
}

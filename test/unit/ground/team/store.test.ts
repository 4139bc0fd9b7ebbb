import { describe, expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { newcomer, teamConformance, valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const about = { name: "crew", lead: "lead" }

async function open() {
  const folder = temporaryFolder()
  const store = await openTeamStore({ path: folder.join("team.db"), about, clock: systemClock })
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

teamConformance("a file", test, open)

describe("two that share a file", () => {
  test("see each other's changes, and are told of them", async () => {
    using folder = temporaryFolder()
    const at = { path: folder.join("deep/team.db"), about, clock: systemClock }
    const [one, two] = [await openTeamStore(at), await openTeamStore({ ...at, about: { name: "x", lead: "y" } })]
    const told = new Promise<void>((resolve) => two.watch(resolve))
    valueOf(await one.roster.join(newcomer("ann")))
    await told
    expect(await two.roster.members()).toMatchObject([{ name: "ann" }])
    expect(await two.roster.about()).toEqual(about)
    await one.close()
    await two.close()
  })

  test("a file of another version is refused", async () => {
    using folder = temporaryFolder()
    const { Database } = await import("bun:sqlite")
    const path = folder.join("team.db")
    const database = new Database(path, { create: true })
    database.run("pragma user_version = 99")
    database.close()
    expect(openTeamStore({ path, about, clock: systemClock })).rejects.toThrow("another version of Codewright")
  })

  test("a file of the first format is carried over whole", async () => {
    using folder = temporaryFolder()
    const { Database } = await import("bun:sqlite")
    const path = folder.join("team.db")
    const database = new Database(path, { create: true })
    database.run(firstFormat)
    database.close()
    const store = await openTeamStore({ path, about: { name: "x", lead: "y" }, clock: systemClock })
    expect(await store.roster.about()).toEqual(about)
    expect(await store.roster.members()).toMatchObject([{ name: "lead" }, { name: "ann", state: "idle" }])
    expect(await store.board.list()).toMatchObject([
      { id: "1", status: "completed", blocks: ["3"] },
      { id: "3", status: "in_progress", owner: "ann", blockedBy: ["1"] },
    ])
    expect(await store.board.claims()).toEqual([{ id: "3", owner: "ann", lease: 7, beat: 2 }])
    expect(await store.mail.after("ann", 0)).toMatchObject([{ seq: 9, from: "lead", text: "hello", approve: true }])
    expect(valueOf(await store.board.create({ subject: "next", description: "" })).id).toBe("4")
    await store.close()
  })
})

/** As the first version wrote it. */
const firstFormat = `
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

insert into about values ('crew', null, 'lead');
insert into members (name, session_id, pid, start, host, state, joined_at) values ('lead', 'l', 1, '', 'h', 'working', 1), ('ann', 'a', 1, '', 'h', 'idle', 2);
insert into tasks (id, subject, description, status, owner, lease, beat) values (1, 'one', '', 'completed', 'ann', null, 0), (2, 'two', '', 'deleted', null, null, 0), (3, 'three', '', 'in_progress', 'ann', 7, 2);
insert into edges values (1, 3);
update leases set last = 7;
insert into mail (seq, sender, recipient, type, text, approve, key, sent_at) values (9, 'lead', 'ann', 'message', 'hello', 1, 'k', 1);
pragma user_version = 1;
`

/** The tables of teams: of all teams of a Postgres database, or of the one team of a SQLite file. */

import type { Schema } from "#lib/database.ts"

/** `identity`: how the engine numbers rows in the order they were added. */
const steps = (identity: string): readonly string[] => [
  `
create table teams (
  id text primary key,
  name text not null,
  description text,
  lead text not null,
  last_task integer not null default 0,
  last_mail integer not null default 0,
  last_lease integer not null default 0
);
create table team_tasks (
  team text not null references teams on delete cascade,
  id integer not null,
  subject text not null,
  description text not null,
  active_form text,
  status text not null default 'pending',
  owner text,
  attempts integer not null default 0,
  notes text not null default '[]',
  metadata text not null default '{}',
  lease integer,
  beat integer not null default 0,
  primary key (team, id)
);
create index team_open_tasks on team_tasks (team, status, id) where status in ('pending', 'in_progress');
create table team_edges (
  team text not null references teams on delete cascade,
  blocker integer not null,
  blocked integer not null,
  primary key (team, blocker, blocked)
);
create index team_edges_back on team_edges (team, blocked, blocker);
create table team_members (
  team text not null references teams on delete cascade,
  name text not null,
  place ${identity},
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
  tokens double precision not null default 0,
  cost_usd double precision not null default 0,
  joined_at double precision not null,
  read_to integer not null default 0,
  ${identity.includes("primary key") ? "unique" : "primary key"} (team, name)
);
create table team_mail (
  team text not null references teams on delete cascade,
  seq integer not null,
  sender text not null,
  recipient text not null,
  type text not null,
  text text not null,
  summary text,
  answers integer,
  approve integer,
  key text not null,
  meant_for text,
  sent_at double precision not null,
  delivered_at double precision,
  primary key (team, seq),
  unique (team, sender, key, recipient)
);
create index team_boxes on team_mail (team, recipient, seq);
`,
  `
alter table teams add column handed text;
`,
  `
create table team_calls (
  team text not null references teams on delete cascade,
  caller text not null,
  id text not null,
  part text not null,
  came text not null,
  primary key (team, caller, id, part)
);
alter table team_members add column call_id text;
alter table team_tasks add column sealed text;
alter table team_mail add column sealed text;
create index team_pending_tasks on team_tasks (team, owner, id) where status = 'pending';
create index team_begun_tasks on team_tasks (team, id) where status = 'in_progress';
`,
]

export const postgresTables: Schema = { name: "team", steps: steps("bigint generated always as identity") }

export const sqliteSteps: readonly string[] = steps("integer primary key autoincrement")

/** From the only format of files before these tables. The file's team has no other name than the file. */
export const fromFirstFormat = (team: string): string => `
insert into teams (id, name, description, lead, last_task, last_mail, last_lease)
  select '${team}', name, description, lead,
    (select coalesce(max(id), 0) from tasks), (select coalesce(max(seq), 0) from mail), (select last from leases) from about;
insert into team_tasks (team, id, subject, description, active_form, status, owner, attempts, notes, metadata, lease, beat)
  select '${team}', id, subject, description, active_form, status, owner, attempts, notes, metadata, lease, beat from tasks;
insert into team_edges (team, blocker, blocked) select '${team}', blocker, blocked from edges;
insert into team_members (team, name, session_id, agent_type, color, folder, branch, pid, start, host, state, activity, tokens, cost_usd, joined_at, read_to)
  select '${team}', name, session_id, agent_type, color, folder, branch, pid, start, host, state, activity, tokens, cost_usd, joined_at, read_to
  from members order by rowid;
insert into team_mail (team, seq, sender, recipient, type, text, summary, answers, approve, key, meant_for, sent_at, delivered_at)
  select '${team}', seq, sender, recipient, type, text, summary, answers, approve, key, meant_for, sent_at, delivered_at from mail;
drop table about; drop table tasks; drop table edges; drop table leases; drop table members; drop table mail;
`

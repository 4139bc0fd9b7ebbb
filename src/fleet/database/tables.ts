/** The tables of a fleet. Times are milliseconds of the database's own clock: those of workers may differ. */

import type { Schema } from "#lib/database.ts"

/** What some worker may have: something is to be done, and nobody does it. In the words of an index that has nothing else. */
export const takeable = "wake_at is not null and (worker is null or is_lost)"

/** Where the folder of a session is; empty before it has one. */
export const folderIndexed = "(coalesce(regexp_replace(folder, '/[^/]*$', ''), ''))"

const belongings: readonly string[] = [
  "fleet_lines",
  "fleet_events",
  "fleet_approvals",
  "fleet_orders",
  "fleet_deliveries",
  "fleet_trees",
  "fleet_tree_parts",
  "fleet_budgets",
]

export const fleetTables: Schema = {
  name: "fleet",
  steps: [
    `
create table fleet_sessions (
  id text primary key,
  place bigint generated always as identity unique,
  title text not null,
  query text not null,
  clarified_query text,
  mode text not null,
  model text not null,
  stage text not null,
  plan text,
  result text,
  opening text not null,
  labels text[] not null,
  cost_usd double precision not null default 0,
  created_by text not null,
  created_at double precision not null,
  updated_at double precision not null,
  fence integer not null default 0,
  worker text,
  lease_until double precision,
  attempts integer not null default 0,
  wake_at double precision,
  wakes integer not null default 0,
  taken_wakes integer not null default 0,
  lines integer not null default 0,
  events integer not null default 0
);
create index fleet_due on fleet_sessions (wake_at) where wake_at is not null;
create index fleet_tried on fleet_sessions (attempts) where attempts >= 10;
create index fleet_held on fleet_sessions (worker) where worker is not null;
create index fleet_stages on fleet_sessions (stage, place);
create table fleet_workers (
  id text primary key,
  pid integer not null,
  host text not null,
  slots integer not null,
  labels text[] not null,
  seen_at double precision not null
);
create table fleet_lines (
  session text not null references fleet_sessions on delete cascade,
  seq integer not null,
  line text not null,
  primary key (session, seq)
);
create table fleet_events (
  session text not null references fleet_sessions on delete cascade,
  seq integer not null,
  type text not null,
  line integer,
  data text,
  primary key (session, seq)
);
create sequence fleet_opened;
create table fleet_approvals (
  session text not null references fleet_sessions on delete cascade,
  id text not null,
  digest text not null,
  opened bigint not null default nextval('fleet_opened'),
  kind text not null,
  title text not null,
  action text not null,
  explanation text not null,
  risks text[] not null,
  state text not null,
  expires_at double precision,
  created_at double precision not null,
  decided_at double precision,
  decided_by text,
  answer text,
  primary key (session, id, digest)
);
create index fleet_open_approvals on fleet_approvals (opened) where state = 'open';
create table fleet_tokens (
  name text primary key,
  role text not null,
  digest text not null unique,
  expires_at double precision,
  revoked_at double precision
);
create table fleet_keys (
  who text not null,
  key text not null,
  digest text not null,
  answer text,
  at double precision not null,
  primary key (who, key)
);
create table fleet_audit (
  seq bigint generated always as identity primary key,
  at double precision not null,
  who text not null,
  what text not null,
  session text,
  approval text
);
`,
    `
create table fleet_orders (
  session text not null references fleet_sessions on delete cascade,
  id text not null,
  place bigint generated always as identity,
  content text not null,
  given_by text not null,
  given_at double precision not null,
  done_at double precision,
  answer text,
  primary key (session, id)
);
create index fleet_waiting_orders on fleet_orders (session, place) where done_at is null;
create index fleet_moments on fleet_events (session, seq) where type = 'moment';
`,
    `
create table fleet_logins (
  digest text primary key,
  token text not null,
  expires_at double precision not null
);
`,
    `
alter table fleet_sessions add column folder text;
`,
    `
create table fleet_spending (
  day text not null,
  who text not null,
  usd double precision not null,
  primary key (day, who)
);
create table fleet_hooks (
  url text primary key,
  since bigint not null
);
create table fleet_deliveries (
  id bigint generated always as identity primary key,
  url text not null references fleet_hooks,
  session text not null references fleet_sessions on delete cascade,
  approval text not null,
  digest text not null,
  opened bigint not null,
  attempts integer not null default 0,
  next_at double precision,
  unique (url, session, approval, digest, opened)
);
create index fleet_due_deliveries on fleet_deliveries (next_at) where next_at is not null;
`,
    `
create table fleet_trees (
  session text primary key references fleet_sessions on delete cascade,
  base text not null,
  fence integer not null,
  head text,
  files bytea,
  commits bytea
);
`,
    `
alter table fleet_approvals add column details text;
`,
    `
alter table fleet_approvals add column created_by text;
update fleet_approvals set created_by = (select created_by from fleet_sessions where id = session);
create index fleet_open_approvals_of on fleet_approvals (created_by, opened) where state = 'open';
`,
    `
alter table fleet_trees drop column head, drop column files, drop column commits;
alter table fleet_trees add column files_state text, add column files_in text, add column beside_state text, add column behind text;
create table fleet_tree_parts (
  place bigint generated always as identity primary key,
  session text not null references fleet_sessions on delete cascade,
  lane text not null,
  state text not null,
  bytes bytea not null
);
create index fleet_parts_of_trees on fleet_tree_parts (session, lane, place);
alter table fleet_workers add column workplaces text;
`,
    `
alter table fleet_sessions add column lead text;
`,
    `
create index fleet_old_keys on fleet_keys (at);
create index fleet_members on fleet_sessions (lead) where lead is not null;
`,
    `
create table fleet_budgets (
  session text primary key references fleet_sessions on delete cascade,
  lead text not null,
  fence integer not null,
  spent_usd double precision not null,
  spent_tokens double precision not null,
  reserved_usd double precision not null,
  reserved_tokens double precision not null
);
create index fleet_budgets_of_leads on fleet_budgets (lead);
`,
    `
alter table fleet_sessions add column gates text;
`,
    // Sessions of those who are not admins are confined from now on, also those that were begun before. As text: jsonb cannot hold every string.
    `
update fleet_sessions set opening = '{"confined":true,' || substr(opening, 2)
  where created_by in (select name from fleet_tokens where role <> 'admin');
`,
    `
alter table fleet_audit add column session_title text, add column details text;
create index fleet_audit_of_sessions on fleet_audit (session);
`,
    `
create table fleet_erased (
  seq bigint generated always as identity primary key,
  session text not null,
  folder text,
  cwd text,
  snapshots text[] not null,
  source text,
  at double precision not null
);
`,
    // What was asked of sessions before it was ops. As text, in the order in which it was written: jsonb cannot hold every string.
    `
update fleet_orders set content = case
  when starts_with(content, '{"kind":"message",') then
    '{"type":"prompt","content":[{"type":"text",' || substr(content, 19, length(content) - 19) || '}],"when":"steer","as":"text"}'
  when starts_with(content, '{"kind":"gate",') then
    '{"type":"set_gate",' || substr(content, 16, length(content) - 16) || ',"by":' || to_json(given_by) || '}'
  when starts_with(content, '{"kind":"rewind",') and content like '%"files":true,"conversation":true,"dryRun":false}' then
    '{"type":"rewind","promptId":' || substring(content from '"to":(".*"),"files":') || ',"what":"both"}'
  when starts_with(content, '{"kind":"rewind",') and content like '%"files":true,"conversation":false,"dryRun":false}' then
    '{"type":"rewind","promptId":' || substring(content from '"to":(".*"),"files":') || ',"what":"files"}'
  when starts_with(content, '{"kind":"rewind",') and content like '%"files":false,"conversation":true,"dryRun":false}' then
    '{"type":"rewind","promptId":' || substring(content from '"to":(".*"),"files":') || ',"what":"conversation"}'
  when starts_with(content, '{"kind":"rewind",') then
    '{"type":"preview","promptId":' || substring(content from '"to":(".*"),"files":') || '}'
  else replace(content, '{"kind":"interrupt"}', '{"type":"interrupt"}')
end;
`,
    `
alter table fleet_sessions add column path text;
create index fleet_paths on fleet_sessions (path) where path is not null and stage not in ('completed', 'failed', 'cancelled');
`,
    // For many workers: decision 154. `fleet_due` stays for workers of the version before, which take sessions by it.
    `
alter table fleet_sessions add column is_lost boolean not null default false;
alter table fleet_workers add column has_room boolean not null default false;
create table fleet_chores (name text primary key, done_at double precision not null);
insert into fleet_chores (name, done_at) values ('fleet', 0);
create table fleet_watched (what text primary key, until double precision not null);
create index fleet_takeable on fleet_sessions (labels, ${folderIndexed}, wake_at) where ${takeable};
create index fleet_sessions_of on fleet_sessions (created_by, stage, place);
create index fleet_paths_below on fleet_sessions (path text_pattern_ops) where path is not null and stage not in ('completed', 'failed', 'cancelled');
create index fleet_expiring on fleet_approvals (expires_at) where state = 'open' and expires_at is not null;
create index fleet_deliveries_of on fleet_deliveries (session);
create index fleet_sent_deliveries on fleet_deliveries (id) where next_at is null;
create index fleet_old_audit on fleet_audit (at);
create index fleet_audit_by on fleet_audit (who);
create index fleet_old_logins on fleet_logins (expires_at);
create index fleet_logins_with on fleet_logins (token);
create index fleet_old_erased on fleet_erased (at);
create index fleet_erased_sessions on fleet_erased (session);
create index team_members_of_sessions on team_members (session_id);
create index teams_of_leads on teams (id text_pattern_ops);
`,
    // Each row that refers to a session locked the session's own row for a moment. What belongs to a session is still deleted with it.
    `
alter table fleet_lines drop constraint fleet_lines_session_fkey;
alter table fleet_events drop constraint fleet_events_session_fkey;
alter table fleet_approvals drop constraint fleet_approvals_session_fkey;
alter table fleet_orders drop constraint fleet_orders_session_fkey;
alter table fleet_deliveries drop constraint fleet_deliveries_session_fkey;
alter table fleet_trees drop constraint fleet_trees_session_fkey;
alter table fleet_tree_parts drop constraint fleet_tree_parts_session_fkey;
alter table fleet_budgets drop constraint fleet_budgets_session_fkey;
create function fleet_forget_session() returns trigger language plpgsql as 'begin ${belongings.map((table) => `delete from ${table} where session = old.id; `).join("")}return null; end';
create trigger fleet_forget_session after delete on fleet_sessions for each row execute function fleet_forget_session();
`,
  ],
}

/** The database's clock, in milliseconds. */
export const now = "(extract(epoch from statement_timestamp()) * 1000)::double precision"

/** The day by the database's clock, in UTC. */
export const today = "to_char(statement_timestamp() at time zone 'utc', 'YYYY-MM-DD')"

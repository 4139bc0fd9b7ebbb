/** Tables for what people do on the page. They are a schema of their own, so that their steps are numbered apart from those of the fleet. */

import type { Schema } from "#lib/database.ts"

export const pageTables: Schema = {
  name: "fleet_page",
  steps: [
    `
create sequence fleet_change_revisions;
create table fleet_changes (
  session text primary key references fleet_sessions on delete cascade,
  revision bigint not null,
  lines integer not null,
  summary text not null,
  at double precision not null
);
create table fleet_changed_files (
  session text not null references fleet_sessions on delete cascade,
  revision bigint not null,
  place integer not null,
  id text not null,
  file text not null,
  hunks text not null,
  primary key (session, revision, place)
);
create index fleet_changed_files_by_id on fleet_changed_files (session, revision, id);
create table fleet_published (
  session text not null references fleet_sessions on delete cascade,
  branch text not null,
  work text not null,
  at double precision not null,
  primary key (session, branch)
);
create table fleet_links (
  digest text primary key,
  session text not null references fleet_sessions on delete cascade,
  role text not null,
  made_by text not null,
  expires_at double precision not null
);
create index fleet_links_of_sessions on fleet_links (session);
create index fleet_links_by_age on fleet_links (expires_at);
create table fleet_grants (
  session text not null references fleet_sessions on delete cascade,
  who text not null,
  role text not null,
  primary key (session, who)
);
create table fleet_templates (
  name text primary key,
  content text not null,
  saved_by text not null,
  at double precision not null
);
create index fleet_page_words on fleet_sessions using gin (to_tsvector('simple', title || ' ' || left(query, 10000)));
create index fleet_page_sessions_of on fleet_sessions (created_by, place);
create index fleet_page_created on fleet_sessions (created_at);
create table fleet_comments (
  session text not null references fleet_sessions on delete cascade,
  id text not null,
  nth bigint generated always as identity,
  said_by text not null,
  content text not null,
  at double precision not null,
  sent_at double precision,
  primary key (session, id)
);
`,
    `
create index fleet_page_decided on fleet_approvals (opened) where state in ('allowed', 'denied') and kind = 'tool';
create index fleet_page_decided_of on fleet_approvals (created_by, opened) where state in ('allowed', 'denied') and kind = 'tool';
`,
    // Who is told of what waits, and where: decision 164. Links that decide: decision 165.
    `
create table fleet_people (
  name text primary key,
  role text not null,
  seen_at double precision not null
);
create table fleet_devices (
  id text primary key,
  who text not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  server_key text not null,
  label text not null,
  added_at double precision not null,
  told_at double precision
);
create index fleet_devices_of on fleet_devices (who);
create table fleet_wishes (
  who text primary key,
  hears_all boolean not null,
  quiet text
);
create table fleet_pushes (
  id bigint generated always as identity primary key,
  device text not null references fleet_devices on delete cascade,
  session text not null,
  approval text not null,
  digest text not null,
  opened bigint not null,
  attempts integer not null default 0,
  next_at double precision not null,
  unique (device, session, approval, digest, opened)
);
create index fleet_due_pushes on fleet_pushes (next_at);
create index fleet_pushes_of on fleet_pushes (session);
create table fleet_decision_links (
  digest text primary key,
  session text not null references fleet_sessions on delete cascade,
  approval text not null,
  action text not null,
  opened bigint not null,
  who text not null,
  allows boolean not null,
  expires_at double precision not null,
  used_at double precision
);
create index fleet_decision_links_of on fleet_decision_links (session);
create index fleet_decision_links_by_age on fleet_decision_links (expires_at);
create index fleet_decision_links_for on fleet_decision_links (who);
`,
    // Links to a plan or a question: what they decide is said when they are used.
    "alter table fleet_decision_links alter column allows drop not null;",
    // Words as in the search of page-lists.ts, so that parts of paths are found.
    String.raw`
create index fleet_page_text on fleet_sessions using gin (
  to_tsvector('simple', translate(title || ' ' || left(query, 10000), './\-@:<>&=?#%+~*$,;()[]{}|!"''^', repeat(' ', 40)))
);
drop index fleet_page_words;
`,
  ],
}

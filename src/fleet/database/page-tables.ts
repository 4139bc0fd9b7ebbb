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
  ],
}

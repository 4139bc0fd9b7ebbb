/** Tables for limits by repository. They are a schema of their own, so that a running worker of the version before need not know their steps. */

import type { Schema } from "#lib/database.ts"

export const quotaTables: Schema = {
  name: "fleet_quotas",
  steps: [
    `
alter table fleet_sessions add column repository text, add column waits_for text;
create index fleet_held_by on fleet_sessions (created_by) where worker is not null;
create index fleet_held_in on fleet_sessions (repository) where worker is not null;
create index fleet_queued_by on fleet_sessions (created_by, place) where waits_for is not null;
create index fleet_queued_in on fleet_sessions (repository, place) where waits_for is not null;
create index fleet_queued on fleet_sessions (place) where waits_for is not null;
create table fleet_spending_in (
  day text not null,
  repository text not null,
  usd double precision not null,
  primary key (day, repository)
);
`,
    "create index fleet_sessions_in on fleet_sessions (repository, place);",
  ],
}

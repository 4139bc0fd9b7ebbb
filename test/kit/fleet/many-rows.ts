/** A fleet that has been at work for long: tables filled by SQL, as rows of sessions would have filled them. */

import type { Database } from "#lib/database.ts"

/** `finished` sessions, and a few hundred that run, wait for people, or wait for a worker that nobody has. */
export async function fillFleet(database: Pick<Database, "rows">, finished: number, linesEach = 3): Promise<void> {
  const nowMs = "(extract(epoch from now()) * 1000)::double precision"
  const sessions = (count: number, prefix: string, values: string): string =>
    `insert into fleet_sessions (id, title, query, mode, model, stage, opening, labels, created_by, created_at, updated_at, lines, events, worker, lease_until, wake_at, folder, path, lead, attempts, repository)
     select '${prefix}' || n, 'Title ' || n, 'Do it ' || n, 'default', 'sim', ${values}, 'git.example/' || n % 500 from generate_series(1, ${count}) as n`
  const opening = `'{"workspace":{"path":"/w/' || n || '"}}'`
  // A member begins when its lead does.
  const created = [1, 2].map(() => `${nowMs} - 86400000.0 * ((n + 5) / 10 % 90)`).join(", ")
  const none = "null, null, null"
  const statements = [
    sessions(
      finished,
      "done-",
      `case n % 20 when 0 then 'failed' when 1 then 'cancelled' else 'completed' end, ${opening}, '{}', 'user' || n % 500, ${created}, ${linesEach}, ${linesEach + 2},
       ${none}, '/works/done-' || n, '/w/' || n, case n % 10 when 0 then 'done-' || (n - 1) end, 0`,
    ),
    sessions(
      300,
      "runs-",
      `'executing', ${opening}, '{}', 'user' || n % 500, ${created}, ${linesEach}, ${linesEach + 2}, 'w' || n % 100, ${nowMs} + 3600000, ${nowMs} - n, '/works/runs-' || n, '/w/' || n, null, 1`,
    ),
    sessions(
      300,
      "waits-",
      `'awaiting_tool_approval', ${opening}, '{}', 'user' || n % 500, ${created}, ${linesEach}, ${linesEach + 2}, ${none}, '/works/waits-' || n, '/w/' || n, null, 0`,
    ),
    sessions(
      3000,
      "stuck-",
      `'executing', ${opening}, array['gpu'], 'user' || n % 500, ${created}, 0, 1, null, null, ${nowMs} - 100000 - n, '/other/stuck-' || n, '/w/' || n, null, 0`,
    ),
    `insert into fleet_workers (id, pid, host, slots, labels, workplaces, seen_at) select 'w' || n, n, 'here', 4, '{}', '/works', ${nowMs} + 3600000 from generate_series(0, 99) as n`,
    `insert into fleet_lines (session, seq, line) select id, seq, repeat('x', 100) from fleet_sessions, generate_series(1, lines) as seq`,
    `insert into fleet_events (session, seq, type, line, data) select id, seq, case when seq > lines then 'stage' else 'entry' end, seq, case when seq > lines then '{}' end from fleet_sessions, generate_series(1, lines + 2) as seq where lines > 0`,
    `insert into fleet_approvals (session, id, digest, kind, title, action, explanation, risks, state, expires_at, created_at, created_by)
     select id, 'q', 'd', 'tool', 't', '{}', '', '{}', case when stage = 'awaiting_tool_approval' then 'open' else 'allowed' end, created_at + 1e10, created_at, created_by from fleet_sessions where id not like 'stuck-%'`,
    `insert into fleet_orders (session, id, content, given_by, given_at, done_at) select id, id, '{}', created_by, created_at, case when id like 'done-%' then created_at end from fleet_sessions`,
    `insert into fleet_audit (at, who, what, session) select created_at, created_by, 'session created', id from fleet_sessions`,
    `insert into fleet_hooks (url, since) values ('https://old.example/', 0)`,
    `insert into fleet_deliveries (url, session, approval, digest, opened) select 'https://old.example/', session, id, digest, opened from fleet_approvals`,
    `insert into fleet_keys (who, key, digest, answer, at) select created_by, id, 'd', '{}', ${nowMs} from fleet_sessions limit 20000`,
    `insert into fleet_logins (digest, token, expires_at) select id, 't', ${nowMs} + 1e9 from fleet_sessions limit 20000`,
    `insert into fleet_erased (session, snapshots, at) select 'gone-' || n, '{}', ${nowMs} from generate_series(1, 20000) as n`,
    `insert into fleet_spending (day, who, usd) select '2020-01-' || lpad((n % 28 + 1)::text, 2, '0'), 'user' || n, 1 from generate_series(1, 20000) as n`,
    `insert into fleet_spending_in (day, repository, usd) select '2020-01-' || lpad((n % 28 + 1)::text, 2, '0'), 'git.example/' || n, 1 from generate_series(1, 20000) as n`,
    `update fleet_sessions set waits_for = 'user 1' where id like 'stuck-%' and place % 10 = 0`,
    `insert into fleet_trees (session, base, fence) select id, 'base', 1 from fleet_sessions limit 20000`,
    `insert into fleet_tree_parts (session, lane, state, bytes) select session, 'files', 's', 'x' from fleet_trees`,
    `insert into fleet_budgets (session, lead, fence, spent_usd, spent_tokens, reserved_usd, reserved_tokens) select id, coalesce(lead, id), 1, 0, 0, 0, 0 from fleet_sessions limit 20000`,
    `insert into teams (id, name, lead) select id || '/team', 'team', 'lead' from fleet_sessions where id like 'done-%' limit 20000`,
    `insert into team_members (team, name, session_id, pid, start, host, state, joined_at) select id, member, id || member, 1, 's', 'h', 'gone', 1 from teams, unnest(array['ann', 'bob']) as member`,
    `insert into team_tasks (team, id, subject, description) select id, n, 's', 'd' from teams, generate_series(1, 2) as n`,
    `insert into team_mail (team, seq, sender, recipient, type, text, key, sent_at) select id, n, 'ann', 'bob', 'message', 't', 'k' || n, 1 from teams, generate_series(1, 2) as n`,
    "analyze",
  ]
  for (const statement of statements) await database.rows(statement)
}

/** What people did on the page, on top of that. */
export async function fillPage(database: Pick<Database, "rows">): Promise<void> {
  const some = "from fleet_sessions where id like 'done-%' limit 20000"
  const statements = [
    `insert into fleet_changes (session, revision, lines, summary, at) select id, place, 3, '{}', 1 ${some}`,
    `insert into fleet_changed_files (session, revision, place, id, file, hunks) select session, revision, 1, 'f', '{}', '[]' from fleet_changes`,
    `insert into fleet_published (session, branch, work, at) select id, 'b', '{}', 1 ${some}`,
    `insert into fleet_links (digest, session, role, made_by, expires_at) select 'link ' || id, id, 'viewer', created_by, 1e14 ${some}`,
    `insert into fleet_grants (session, who, role) select id, 'somebody', 'viewer' ${some}`,
    `insert into fleet_hooks (url, since) values ('push:', 0)`,
    `insert into fleet_people (name, role, seen_at) select 'user' || n, 'operator', 1e14 from generate_series(1, 5000) as n`,
    `insert into fleet_devices (id, who, endpoint, p256dh, auth, server_key, label, added_at) select 'device ' || n, 'user' || n % 500, n, '', '', 'key', '', 1 from generate_series(1, 5000) as n`,
    `insert into fleet_pushes (device, session, approval, digest, opened, next_at) select 'device ' || n % 5000 + 1, 'done-' || n, 'q', 'd', n, 1e14 from generate_series(1, 20000) as n`,
    `insert into fleet_deliveries (url, session, approval, digest, opened, next_at) select url, session, 'q', 'push', 1, 0 from (values ('push:')) as hook (url), (select id as session from fleet_sessions where id like 'waits-%') as waiting`,
    `insert into fleet_decision_links (digest, session, approval, action, opened, who, allows, expires_at) select id, id, 'q', 'd', 1, created_by, true, 1e14 ${some}`,
    `insert into fleet_comments (session, id, said_by, content, at) select id, 'first', created_by, '{"text":"t"}', 1 ${some}`,
    "analyze",
  ]
  for (const statement of statements) await database.rows(statement)
}

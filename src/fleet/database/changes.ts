/** The changes of sessions and comments on them, as rows. Contents are JSON as text, which Postgres compresses. */

import type { Sql } from "#lib/database.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type {
  ChangedFile,
  ChangedHunk,
  ChangesSummary,
  LinePlace,
  PublishedWork,
  FileReview,
  SessionComment,
} from "#fleet/changes.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetChanges, FleetComments } from "#fleet/store/reviews.ts"
import { listsChanged, sessionChanged } from "./notices.ts"
import { addAudit, type Db, wakeUp } from "./transaction.ts"
import { queueOp } from "./ops.ts"
import { now } from "./tables.ts"

/** No statement is too large, and none of very many is too small. */
const [batchFiles, batchCharacters] = [200, 4_000_000]

const current = "(select revision from fleet_changes where session = $1)"

/** No review has more files. */
const mostKept = 1_000_000

interface KeptFile extends ChangedFile {
  /** The revision in which it was not what it had been before; a worker of an earlier release does not say. */
  readonly changedIn?: string
}

const shown = ({ changedIn: _changedIn, ...file }: KeptFile): ChangedFile => file

export function openChanges(db: Db): FleetChanges {
  /** By their places. */
  async function kept(sessionId: string, after = 0, limit = mostKept): Promise<readonly KeptFile[]> {
    const found = await db.rows<{ file: string }>(
      `select file from fleet_changed_files where session = $1 and revision = ${current} and place > $2 order by place limit $3::integer`,
      [sessionId, after, limit],
    )
    return found.map(({ file }) => JSON.parse(file) as KeptFile)
  }

  return {
    async keep(lease, { lines, summary }, files) {
      const { sessionId } = lease
      const [made] = await db.rows<{ revision: string }>("select nextval('fleet_change_revisions') as revision")
      const revision = made?.revision ?? "0"
      const before = new Map((await kept(sessionId)).map((each) => [each.id, each]))
      const changedIn = ({ id, version }: ChangedFile): string => {
        const was = before.get(id)
        return (was?.version === version ? was.changedIn : undefined) ?? revision
      }
      let place = 0
      // Nobody sees them before all of them are there.
      for (const batch of batchesOf(files)) {
        const isHeld = await db.write(async (sql) => {
          if (!(await holds(sql, lease))) return false
          await sql.rows(
            `insert into fleet_changed_files (session, revision, place, id, file, hunks)
             select $1, $2::bigint, $3::integer + nth::integer, id, file, hunks
             from unnest($4::text[], $5::text[], $6::text[]) with ordinality as given (id, file, hunks, nth)`,
            [
              sessionId,
              revision,
              place,
              batch.map(({ file }) => file.id),
              batch.map(({ file }) => JSON.stringify({ ...file, changedIn: changedIn(file) } satisfies KeptFile)),
              batch.map(({ hunks }) => hunks),
            ],
          )
          return true
        })
        if (!isHeld) return failed({ kind: "fenced" })
        place += batch.length
      }
      return db.write(async (sql) => {
        if (!(await holds(sql, lease))) return failed({ kind: "fenced" } as const)
        await sql.rows(
          `insert into fleet_changes (session, revision, lines, summary, at) values ($1, $2::bigint, $3, $4, ${now})
           on conflict (session) do update set revision = excluded.revision, lines = excluded.lines, summary = excluded.summary, at = excluded.at`,
          [sessionId, revision, lines, JSON.stringify(summary)],
        )
        await sql.rows("delete from fleet_changed_files where session = $1 and revision <> $2::bigint", [
          sessionId,
          revision,
        ])
        return ok(undefined)
      })
    },
    async known(sessionId) {
      const [row] = await db.rows<{ summary: string; at: number; revision: string; is_stale: boolean }>(
        `select summary, at, revision, exists (
           select 1 from fleet_lines where session = $1 and seq > known.lines and line ~ '"subtype":"(snapshot|review|head)"'
         ) as is_stale from fleet_changes as known where session = $1`,
        [sessionId],
      )
      if (!row) return undefined
      const { at, revision, is_stale: isStale } = row
      return { at, revision: String(revision), isStale, ...(JSON.parse(row.summary) as ChangesSummary) }
    },
    async files(sessionId, after, limit, since) {
      const found = await kept(sessionId, after, limit)
      const isWanted = ({ changedIn }: KeptFile): boolean =>
        since === undefined || changedIn === undefined || BigInt(changedIn) > BigInt(since)
      return found.filter(isWanted).map(shown)
    },
    async file(sessionId, id) {
      const [row] = await db.rows<{ file: string; hunks: string }>(
        `select file, hunks from fleet_changed_files where session = $1 and revision = ${current} and id = $2`,
        [sessionId, id],
      )
      return (
        row && { file: shown(JSON.parse(row.file) as KeptFile), hunks: JSON.parse(row.hunks) as readonly ChangedHunk[] }
      )
    },
    published: (lease, work) =>
      db.write(async (sql) => {
        if (!(await holds(sql, lease))) return failed({ kind: "fenced" } as const)
        await sql.rows(
          `insert into fleet_published (session, branch, work, at) values ($1, $2, $3, ${now})
           on conflict (session, branch) do update set work = excluded.work, at = excluded.at`,
          [lease.sessionId, work.branch, JSON.stringify(work)],
        )
        return ok(undefined)
      }),
    async publications(sessionId) {
      const found = await db.rows<{ work: string }>(
        "select work from fleet_published where session = $1 order by at desc limit 20",
        [sessionId],
      )
      return found.map(({ work }) => JSON.parse(work) as PublishedWork)
    },
  }
}

const holds = async (sql: Sql, { sessionId, fence, worker }: Lease): Promise<boolean> =>
  (
    await sql.rows("select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update", [
      sessionId,
      fence,
      worker,
    ])
  ).length > 0

interface WrittenFile {
  readonly file: ChangedFile
  readonly hunks: string
}

function* batchesOf(files: Iterable<FileReview>): Generator<readonly WrittenFile[]> {
  let batch: WrittenFile[] = []
  let characters = 0
  for (const { file, hunks } of files) {
    const written = { file, hunks: JSON.stringify(hunks) }
    batch.push(written)
    characters += written.hunks.length
    if (batch.length < batchFiles && characters < batchCharacters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

interface CommentRow {
  readonly id: string
  readonly said_by: string
  readonly content: string
  readonly at: number
  readonly sent_at: number | null
}

const asComment = (row: CommentRow): SessionComment => {
  const { text, place } = JSON.parse(row.content) as { text: string; place?: LinePlace }
  return {
    id: row.id,
    by: row.said_by,
    at: row.at,
    text,
    ...optional("place", place),
    ...optional("sentAt", row.sent_at ?? undefined),
  }
}

/** Nobody reads more on one page. */
const mostComments = 1_000

export function openComments(db: Db): FleetComments {
  return {
    async list(sessionId) {
      const found = await db.rows<CommentRow>(
        `select * from fleet_comments where session = $1 order by nth limit ${mostComments}`,
        [sessionId],
      )
      return found.map(asComment)
    },
    add: (sessionId, { id, by, text, place }) =>
      db.write(async (sql) => {
        const [session] = await sql.rows<{ created_by: string }>(
          "select created_by from fleet_sessions where id = $1 for key share",
          [sessionId],
        )
        if (!session) return failed({ kind: "no_such_session" } as const)
        const [{ count } = { count: 0 }] = await sql.rows<{ count: number }>(
          "select count(*)::integer as count from fleet_comments where session = $1",
          [sessionId],
        )
        if (count >= mostComments) return failed({ kind: "too_many", most: mostComments } as const)
        const [row] = await sql.rows<CommentRow>(
          `insert into fleet_comments (session, id, said_by, content, at) values ($1, $2, $3, $4, ${now}) returning *`,
          [sessionId, id, by, JSON.stringify({ text, ...optional("place", place) })],
        )
        if (!row) throw new Error(`comment ${id} was not kept`)
        await listsChanged(sql, { what: "sessions", of: session.created_by })
        return ok(asComment(row))
      }),
    remove: (sessionId, id) =>
      db.write(async (sql) => {
        const gone = await sql.rows<{ created_by: string }>(
          `delete from fleet_comments using fleet_sessions where fleet_sessions.id = session
             and session = $1 and fleet_comments.id = $2 and sent_at is null returning created_by`,
          [sessionId, id],
        )
        for (const { created_by: of } of gone) await listsChanged(sql, { what: "sessions", of })
        return gone.length > 0
      }),
    send: (sessionId, ids, { opId, by, op }) =>
      db.write(async (sql) => {
        const [session] = await sql.rows<{ stage: string; created_by: string }>(
          "select stage, created_by from fleet_sessions where id = $1 for update",
          [sessionId],
        )
        if (!session) return failed({ kind: "no_such_session" } as const)
        if (session.stage === "cancelled") return failed({ kind: "cancelled" } as const)
        const sent = await sql.rows<CommentRow & { readonly nth: string }>(
          `update fleet_comments set sent_at = ${now} where session = $1 and id = any($2::text[]) and sent_at is null returning *`,
          [sessionId, ids],
        )
        if (sent.length === 0) return failed({ kind: "nothing_to_send" } as const)
        const comments = sent.toSorted((a, b) => Number(a.nth) - Number(b.nth)).map(asComment)
        await queueOp(sql, sessionId, opId, op(comments), by)
        await wakeUp(sql, sessionId)
        await addAudit(
          sql,
          by,
          `${comments.length === 1 ? "a comment" : `${comments.length} comments`} sent to the model`,
          {
            sessionId,
          },
        )
        await sessionChanged(sql, sessionId)
        await listsChanged(sql, { what: "sessions", of: session.created_by })
        return ok(comments.length)
      }),
  }
}

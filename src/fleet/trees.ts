/** The files of sessions that work in a repository, kept for whoever continues on another machine. */

import { given } from "#lib/given.ts"
import { failed, ok } from "#lib/result.ts"
import type { Desk } from "./desk.ts"
import type { FleetTrees } from "./store.ts"

interface TreeRow {
  readonly base: string
  readonly head: string | null
  readonly files: Uint8Array | null
  readonly commits: Uint8Array | null
}

/** Only of whoever holds the session. */
const held = "select id from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update"

export function openTrees(desk: Desk): FleetTrees {
  return {
    begin: ({ sessionId, fence, worker }, base) =>
      desk.write(async (sql) => {
        if ((await sql.rows(held, [sessionId, fence, worker])).length === 0) return failed({ kind: "fenced" } as const)
        await sql.rows(
          "insert into fleet_trees (session, base, fence) values ($1, $2, $3) on conflict (session) do nothing",
          [sessionId, base, fence],
        )
        const [row] = await sql.rows<TreeRow>("select base from fleet_trees where session = $1", [sessionId])
        return ok(row?.base ?? base)
      }),
    async get(sessionId) {
      const [row] = await desk.rows<TreeRow>("select * from fleet_trees where session = $1", [sessionId])
      if (!row) return undefined
      const { base, head, files, commits } = row
      if (head === null || files === null) return { base }
      return { base, kept: { head, files, ...given("commits", commits ?? undefined) } }
    },
    keep: ({ sessionId, fence, worker }, { head, files, commits }) =>
      desk.write(async (sql) => {
        if ((await sql.rows(held, [sessionId, fence, worker])).length === 0) return failed({ kind: "fenced" } as const)
        await sql.rows("update fleet_trees set head = $2, files = $3, commits = $4, fence = $5 where session = $1", [
          sessionId,
          head,
          files,
          commits ?? null,
          fence,
        ])
        return ok(undefined)
      }),
  }
}

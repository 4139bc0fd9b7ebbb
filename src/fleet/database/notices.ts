/**
 * Who is told of what: a worker of what is due and of its own sessions, a server of sessions and lists that somebody there looks at, and nobody of
 * anything else. Each notification holds up the commits of all others for a moment and reaches every process that listens to its topic.
 */

import { channelOfTopic, type Sql } from "#lib/database.ts"
import { changingKinds, type FleetChange } from "#fleet/store.ts"
import type { WorkerNotice } from "#fleet/store/sessions.ts"
import { now } from "./tables.ts"

/** What people see in lists. */
export const changesTopic = "fleet_changes"
/** Every process that works removes what it has of a session that was erased. */
export const erasedTopic = "fleet_erased"

/** What one worker is told. */
export const workerTopic = (worker: string): string => `worker_${worker}`

/** What those who look at one session are told. As a digest, because names of topics are short. */
export const sessionTopic = (sessionId: string): string =>
  `session_${new Bun.CryptoHasher("sha256").update(sessionId).digest("hex").slice(0, 24)}`

/** Under this name somebody looks at lists. */
export const listsWatched = ""

/** A worker that was not heard of for so long is not counted on: by then it has lost its sessions. */
export const silentMs = 30_000

const [dueWord, sessionWord, watchedWord] = ["due", "session ", "watched "]

export function noticeIn(text: string): WorkerNotice {
  if (text.startsWith(sessionWord)) return { kind: "session", sessionId: text.slice(sessionWord.length) }
  if (text.startsWith(watchedWord)) return { kind: "watched", sessionId: text.slice(watchedWord.length) }
  return { kind: "due" }
}

/** One of those that may take it and have room, any of them: so wakes are spread, and none waits for the row of another. */
export async function wakeWorker(
  sql: Pick<Sql, "rows">,
  labels: readonly string[],
  folder: string | null,
): Promise<void> {
  await sql.rows(
    `select pg_notify(${channelOfTopic("'worker_' || id")}, '${dueWord}')::text from (
       select id from fleet_workers where has_room and seen_at > ${now} - ${silentMs} and $1::text[] <@ labels
         and ($2::text is null or workplaces is null or starts_with($2::text, workplaces || '/'))
       order by random() limit 1
     ) as chosen`,
    [labels, folder],
  )
}

export const tellHolder = (sql: Pick<Sql, "rows">, worker: string, sessionId: string): Promise<void> =>
  sql
    .rows(`select pg_notify(${channelOfTopic("'worker_' || $1::text")}, '${sessionWord}' || $2::text)::text`, [
      worker,
      sessionId,
    ])
    .then(() => undefined)

const isWatched = (what: string): string => `exists (select from fleet_watched where what = ${what} and until > ${now})`

/** As part of a statement: tells those who look at the session. `id` and `topic` are its values. */
export const tellSession = (id: string, topic: string): string =>
  `case when ${isWatched(id)} then pg_notify(${channelOfTopic(`${topic}::text`)}, ${id})::text end`

/** As part of a statement: tells those who look at lists. `of`: whose sessions, as an expression; nobody's in particular when absent. */
export const tellLists = (what: FleetChange["what"], of = "''"): string =>
  `case when ${isWatched(`'${listsWatched}'`)} then pg_notify(${channelOfTopic(`'${changesTopic}'`)}, '${what} ' || ${of})::text end`

export const sessionChanged = (sql: Pick<Sql, "rows">, sessionId: string): Promise<void> =>
  sql.rows(`select ${tellSession("$1::text", "$2")}`, [sessionId, sessionTopic(sessionId)]).then(() => undefined)

export const listsChanged = (sql: Pick<Sql, "rows">, { what, of = "" }: FleetChange): Promise<void> =>
  sql.rows(`select ${tellLists(what, "$1::text")}`, [of]).then(() => undefined)

/** Undefined for anything else: then all may have changed. */
export function changeIn(text: string): FleetChange | undefined {
  const [, kind, of] = /^(\w+) (.*)$/s.exec(text) ?? []
  const what = changingKinds.find((each) => each === kind)
  return what && { what, of: of === "" ? undefined : of }
}

/** So long somebody looks, unless it is said again. */
const watchedMs = 90_000

/** Kept up while somebody looks at these. Whoever holds one of the sessions is told. */
export async function keepWatched(sql: Pick<Sql, "rows">, what: readonly string[]): Promise<void> {
  await sql.rows(
    `with kept as (
       insert into fleet_watched (what, until) select distinct what, ${now} + ${watchedMs} from unnest($1::text[]) as given (what) order by what
       on conflict (what) do update set until = excluded.until
     )
     select pg_notify(${channelOfTopic("'worker_' || worker")}, '${watchedWord}' || id)::text
     from fleet_sessions where id = any($1::text[]) and worker is not null`,
    [what],
  )
}

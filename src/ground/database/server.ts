/** A Postgres server, shared by any number of processes and machines. */

import { SQL } from "bun"
import { type Database, DatabaseLost, type Sql, type SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { asLost, type AttemptPorts, withAttempts } from "./attempts.ts"
import { openConnections } from "./connections.ts"
import type { DatabaseFailure } from "./failure.ts"
import { openOutage } from "./outage.ts"
import { layFoundation, migrate } from "./migrate.ts"
import { channelOf, sendable } from "./values.ts"

export interface ServerPlace {
  readonly kind: "server"
  readonly url: string
  /** So many statements at a time; more wait. */
  readonly connections?: number
  /** A server that says nothing for so long is not there. */
  readonly silentMs?: number
  /** Takes a sentence when the server cannot be reached any more, and one when it can again. */
  readonly report?: (text: string) => void
}

const connectingSeconds = 10
/** Far longer than any statement takes, also on a busy server. */
const usualSilentMs = 60_000

type Client = Pick<SQL, "unsafe">
type Run = <T>(work: (client: Client) => Promise<T>) => Promise<T>

export async function openServer(
  { url, connections = 8, silentMs = usualSilentMs, report }: ServerPlace,
  schema: string,
  ports: AttemptPorts,
): Promise<Result<Database, DatabaseFailure>> {
  const place = placeIn(url)
  if (!place.ok) return place
  const connect = (onclose: () => void): SQL =>
    new SQL({
      onclose,
      url,
      adapter: "postgres",
      max: connections,
      connectionTimeout: connectingSeconds,
      connection: { search_path: schema, application_name: "codewright" },
    })
  const server = openConnections(connect, ports.clock, silentMs)
  // A start that fails says so itself.
  let isOpen = false
  const reportOnceOpen = (text: string): void => (isOpen ? report?.(text) : undefined)
  const { noting } = openOutage({ server: place.value, clock: ports.clock, report: reportOnceOpen })
  const use: Run = (work) => noting(() => server.use(work).catch(lost))

  const transaction: Database["transaction"] = (work, how) =>
    withAttempts(() => {
      const isolation = how ? "read committed" : "serializable"
      const begun = (client: SQL, answered: () => void): ReturnType<typeof work> =>
        client.begin(`isolation level ${isolation}`, (one) => {
          const run: Run = (statement) => statement(one).finally(answered)
          return work(statementsOver(run, schema))
        })
      return noting(() => server.use(begun).catch(lost))
    }, ports)

  try {
    await layFoundation(transaction, schema)
  } catch (error) {
    await server.close(0)
    return failed({ kind: "unreachable", server: place.value, message: messageOf(error) })
  }
  isOpen = true
  return ok({
    ...statementsOver(use, schema),
    transaction,
    migrate: (tables) => migrate(transaction, tables),
    watch: (topic, told) => server.listen(channelOf(schema, topic), told).catch(lost),
    close: () => server.close(1),
  })
}

function statementsOver(run: Run, schema: string): Sql {
  const rows = async <Row extends object>(
    statement: string,
    values: readonly SqlValue[] = [],
  ): Promise<readonly Row[]> => {
    // The client's types do not know what a statement returns; what it is, is a list with more to it.
    const found = await run(
      async (client) => client.unsafe(statement, sendable(values)) as Promise<readonly Row[]>,
    ).catch(lost)
    return [...found]
  }
  return {
    rows,
    notify: async (topic, what) => void (await rows("select pg_notify($1, $2)", [channelOf(schema, topic), what])),
  }
}

function lost(error: unknown): never {
  throw asLost(error)
}

/** The server as it may be shown: without user and password. */
function placeIn(url: string): Result<string, DatabaseFailure> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) return failed({ kind: "bad_url", message: "The address of the database is not a URL." })
  if (!["postgres:", "postgresql:"].includes(parsed.protocol))
    return failed({ kind: "bad_url", message: "The address of the database does not start with postgres://." })
  return ok(`${parsed.host}${parsed.pathname}`)
}

const messageOf = (error: unknown): string => {
  const cause = error instanceof DatabaseLost ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

/** A Postgres server, shared by any number of processes and machines. */

import { SQL } from "bun"
import { type Database, DatabaseLost, type Sql, type SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { asLost, type AttemptPorts, withAttempts } from "./attempts.ts"
import type { DatabaseFailure } from "./failure.ts"
import { layFoundation, migrate } from "./migrate.ts"
import { channelOf, sendable } from "./values.ts"

export interface ServerPlace {
  readonly kind: "server"
  readonly url: string
  /** So many statements at a time; more wait. */
  readonly connections?: number
}

/** A server that does not answer in this time is not there. */
const connectingSeconds = 10

type Client = Pick<SQL, "unsafe">

export async function openServer(
  { url, connections = 8 }: ServerPlace,
  schema: string,
  ports: AttemptPorts,
): Promise<Result<Database, DatabaseFailure>> {
  const place = placeIn(url)
  if (!place.ok) return place
  const client = new SQL({
    url,
    adapter: "postgres",
    max: connections,
    connectionTimeout: connectingSeconds,
    connection: { search_path: schema, application_name: "codewright" },
  })

  const transaction: Database["transaction"] = (work, how) =>
    withAttempts(async () => {
      const isolation = how ? "read committed" : "serializable"
      return client.begin(`isolation level ${isolation}`, (one) => work(statementsOver(one, schema))).catch(lost)
    }, ports)

  try {
    await layFoundation(transaction, schema)
  } catch (error) {
    await client.close({ timeout: 0 }).catch(() => undefined)
    return failed({ kind: "unreachable", server: place.value, message: messageOf(error) })
  }
  return ok({
    ...statementsOver(client, schema),
    transaction,
    migrate: (tables) => migrate(transaction, tables),
    async watch(topic, told) {
      let isFirst = true
      const listening = await client
        .listen(
          channelOf(schema, topic),
          (what) => told(what),
          () => {
            if (!isFirst) told(undefined)
            isFirst = false
          },
        )
        .catch(lost)
      return () => listening.unlisten().catch(() => undefined)
    },
    close: () => client.close({ timeout: 1 }).catch(() => undefined),
  })
}

function statementsOver(client: Client, schema: string): Sql {
  const rows = async <Row extends object>(
    statement: string,
    values: readonly SqlValue[] = [],
  ): Promise<readonly Row[]> => {
    // The client's types do not know what a statement returns; what it is, is a list with more to it.
    const found = await (client.unsafe(statement, sendable(values)) as Promise<readonly Row[]>).catch(lost)
    return [...found]
  }
  return {
    rows,
    tell: async (topic, what) => void (await rows("select pg_notify($1, $2)", [channelOf(schema, topic), what])),
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

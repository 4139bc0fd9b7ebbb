/** A Postgres server, shared by any number of processes and machines. */

import { SQL } from "bun"
import { type Database, DatabaseLost, type Sql, type SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { asLost, type AttemptPorts, isCrowded, withAttempts } from "./attempts.ts"
import { type Connections, openConnections } from "./connections.ts"
import type { DatabaseFailure } from "./failure.ts"
import { openLongWork } from "./long-work.ts"
import { openOutage } from "./outage.ts"
import { layFoundation, migrate } from "./migrate.ts"
import { channelOf, sendable } from "./values.ts"

export interface ServerPlace {
  readonly kind: "server"
  readonly url: string
  /** The same database behind a pooler that lends connections by the transaction: for everything but listening. */
  readonly pooler?: string | undefined
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
/** A process that stops within a transaction must not keep what it has locked. */
const idleInTransactionMs = 30_000
/** A server that has no connection left has one again soon: others close theirs when they are idle. */
const [crowdedPauseMs, crowdedAttempts] = [500, 160]

type Client = Pick<SQL, "unsafe">
type Run = <T>(work: (client: Client) => Promise<T>) => Promise<T>

export async function openServer(
  { url, pooler, connections = 5, silentMs = usualSilentMs, report }: ServerPlace,
  schema: string,
  ports: AttemptPorts,
): Promise<Result<Database, DatabaseFailure>> {
  const places = [url, ...(pooler === undefined ? [] : [pooler])].map(placeIn)
  const wrong = places.find((place) => !place.ok)
  if (wrong && !wrong.ok) return wrong
  const shown = places.map((place) => (place.ok ? place.value : "")).join(" and ")
  const server = openConnections({
    connect: () => clientFor(pooler ?? url, schema, pooler !== undefined),
    connectListener: (onclose) => clientFor(url, schema, false, onclose),
    clock: ports.clock,
    silentMs,
    most: connections,
    // A pooler has its own limit.
    shareUsed: async (client) => (pooler === undefined ? shareUsed(client) : undefined),
  })
  // A start that fails says so itself.
  let isOpen = false
  const reportOnceOpen = (text: string): void => (isOpen ? report?.(text) : undefined)
  const { noting } = openOutage({ server: shown, clock: ports.clock, report: reportOnceOpen })
  const use: typeof server.use = (work) => noting(() => whenNotCrowded(() => server.use(work), ports).catch(lost))
  // What a pooler lends next time is another connection, so nothing of one is relied on but within a transaction.
  const settle = async (one: Client): Promise<void> =>
    void (pooler === undefined || (await one.unsafe(transactionSettings, [schema, String(idleInTransactionMs)])))

  const parts: TransactionParts = { use, settle, schema, ports }
  const transaction = transactionsOn(parts, async () => () => undefined)
  const long = { connect: () => clientFor(url, schema, false), clock: ports.clock, everyMs: silentMs / 3 }
  const longTransaction = transactionsOn(parts, async (begun, answered) =>
    openLongWork(long, await backendOf(begun), answered),
  )
  const alone: Run = (work) =>
    use((one) =>
      pooler === undefined
        ? work(one)
        : one.begin(async (begun) => {
            await settle(begun)
            return work(begun)
          }),
    )
  const single: Run = (work) => withAttempts(() => alone(work), ports)

  try {
    await layFoundation(transaction, schema)
  } catch (error) {
    await server.close(0)
    return failed({ kind: "unreachable", server: shown, message: messageOf(error) })
  }
  isOpen = true
  return ok({
    ...statementsOver(single, schema),
    transaction,
    migrate: (tables) => migrate(longTransaction, tables),
    watch: (topic, onNotification) => server.listen(channelOf(schema, topic), onNotification).catch(lost),
    close: () => server.close(1),
  })
}

interface TransactionParts {
  readonly use: Connections["use"]
  readonly settle: (begun: Client) => Promise<void>
  readonly schema: string
  readonly ports: AttemptPorts
}

/** `accompany` begins what lasts as long as the transaction, and returns how to end it. */
function transactionsOn(
  { use, settle, schema, ports }: TransactionParts,
  accompany: (begun: Client, answered: () => void) => Promise<() => void>,
): Database["transaction"] {
  return async <T>(work: (sql: Sql) => Promise<T>, how?: { readonly locks: "its own" }) => {
    async function within(begun: Client, answered: () => void): Promise<T> {
      await settle(begun)
      const end = await accompany(begun, answered)
      const run: Run = (statement) => statement(begun).finally(answered)
      return work(statementsOver(run, schema)).finally(end)
    }
    const isolation = `isolation level ${how ? "read committed" : "serializable"}`
    return withAttempts(() => use((one, answered) => one.begin(isolation, (begun) => within(begun, answered))), ports)
  }
}

function clientFor(url: string, schema: string, isPooled: boolean, onclose?: () => void): SQL {
  return new SQL({
    ...(onclose && { onclose }),
    url,
    adapter: "postgres",
    max: 1,
    connectionTimeout: connectingSeconds,
    // A pooler refuses settings that it does not know, and has another connection for each transaction.
    ...(isPooled
      ? { prepare: false }
      : {
          connection: {
            search_path: schema,
            application_name: "codewright",
            idle_in_transaction_session_timeout: String(idleInTransactionMs),
          },
        }),
  })
}

async function backendOf(client: Client): Promise<number> {
  // The client's types do not know what a statement returns.
  const [row] = (await client.unsafe("select pg_backend_pid() as pid")) as readonly { readonly pid: number }[]
  return row?.pid ?? 0
}

async function shareUsed(client: Client): Promise<number> {
  // The client's types do not know what a statement returns.
  const [row] = (await client.unsafe(
    "select (select count(*) from pg_stat_activity where backend_type = 'client backend') / current_setting('max_connections')::double precision as share",
  )) as readonly { readonly share: number }[]
  return row?.share ?? 0
}

const transactionSettings =
  "select set_config('search_path', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)"

/** Nothing was run if there was no connection. */
async function whenNotCrowded<T>(run: () => Promise<T>, { clock, ids }: AttemptPorts): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isCrowded(error) || attempt === crowdedAttempts) throw error
      await clock.sleep(ids.random() * crowdedPauseMs, new AbortController().signal)
    }
  }
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

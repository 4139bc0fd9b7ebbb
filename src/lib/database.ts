/** What stores need of a Postgres database, whether it runs inside the program or on a server. See decision 78. */

import type { Result } from "./result.ts"

/** JSON is sent and kept as text: `jsonb` cannot hold every string. An `int8` comes back as a string. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[]

export interface Sql {
  /** One statement; `$1` is the first value. */
  readonly rows: <Row extends object>(statement: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>
  /** Tells whoever watches the topic, in every process, once the transaction is committed. At most a few hundred characters. */
  readonly notify: (topic: string, what: string) => Promise<void>
}

export interface Database extends Sql {
  /**
   * All of it or nothing. The work is run again from its start if it lost against another transaction, so it must not do anything but SQL. It is
   * serializable unless it takes locks of its own.
   */
  readonly transaction: <T>(work: (sql: Sql) => Promise<T>, how?: { readonly locks: "its own" }) => Promise<T>
  /** `undefined`: the connection was made again, and something may have been missed. The returned function ends it. */
  readonly watch: (topic: string, onNotification: (what: string | undefined) => void) => Promise<() => Promise<void>>
  /** Brings the tables of a store to the newest version. */
  readonly migrate: (schema: Schema) => Promise<Result<void, SchemaFailure>>
  /** Removes what deleted rows left in the files of the database; absent on a server, whose administrator does that. */
  readonly purge?: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The tables of one store. Steps are only ever added; each is one or several statements and is applied once. */
export interface Schema {
  readonly name: string
  readonly steps: readonly string[]
}

/** The database was used by a newer version of the program. */
export interface SchemaFailure {
  readonly kind: "newer_schema"
  readonly name: string
  readonly is: number
  readonly known: number
}

/** Statements reject with this when the server cannot be reached: what was under way may have happened or not. */
export class DatabaseLost extends Error {
  override readonly name = "DatabaseLost"
}

/** There is no space left for it: nothing was written, and it works again once there is. The message is for people. */
export class DatabaseFull extends DatabaseLost {
  constructor(cause?: unknown) {
    super("The disk of the database is full. Free some space; work then continues by itself.", { cause })
  }
}

/** For statements that tell whoever watches a topic themselves, with `pg_notify`: the channel of a topic, which is an SQL expression. */
export const channelOfTopic = (topic: string): string => `current_schema() || '_' || ${topic}`

/** Until the end of the transaction, nobody else is in a section of this name. */
export const enterSection = async (sql: Sql, name: string): Promise<void> =>
  void (await sql.rows("select pg_advisory_xact_lock(hashtextextended(current_schema() || $1::text, 0))", [name]))

/** Postgres inside the program, with its data in a folder that belongs to this process alone. */

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import type { PGlite } from "@electric-sql/pglite"
import { type Database, DatabaseFull, type Sql, type SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { asLost, type AttemptPorts, withAttempts } from "./attempts.ts"
import type { DatabaseFailure } from "./failure.ts"
import { layFoundation, migrate } from "./migrate.ts"
import { becomeOnlyProcess } from "./only-process.ts"
import { openUpkeep } from "./upkeep.ts"
import { channelOf, sendable } from "./values.ts"

export interface EmbeddedPlace {
  readonly kind: "embedded"
  readonly folder: string
  /** What the engine is made of, when it is inside the executable; otherwise it is found in the package. */
  readonly engine?: Engine | undefined
}

export interface Engine {
  readonly wasm?: Blob
  readonly files?: Blob
  /** An empty database as a compressed archive: making one takes ten times as long. */
  readonly empty?: Blob
}

export async function openEmbedded(
  { folder, engine = {} }: EmbeddedPlace,
  schema: string,
  ports: AttemptPorts,
): Promise<Result<Database, DatabaseFailure>> {
  let letGo = (): void => undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const only = await becomeOnlyProcess(folder)
    if (!only.ok) return failed({ kind: "in_use", folder, pid: only.failure })
    letGo = only.value
    const data = join(folder, "data")
    const postgres = await start(data, engine)
    const hasSpace = (): boolean => freeBytes(data) >= leastFreeBytes
    const upkeep = openUpkeep(postgres, hasSpace)
    const beforeChange = (): void => {
      if (!hasSpace()) throw new DatabaseFull()
      upkeep.changed()
    }
    const swept = openSweep()
    const transaction = transactionsOn(postgres, schema, { ...ports, beforeChange, swept })
    await layFoundation(transaction, schema)
    await postgres.query(`set search_path to ${schema}`)
    return ok({
      ...statementsOver(postgres, schema, swept, (statement) => {
        if (!onlyReads.test(statement)) beforeChange()
      }),
      transaction,
      migrate: (tables) => migrate(transaction, tables),
      watch: (topic, onNotification) => postgres.listen(channelOf(schema, topic), onNotification),
      purge: upkeep.purge,
      async close() {
        await upkeep.settled()
        await postgres.close()
        letGo()
      },
    })
  } catch (error) {
    letGo()
    return failed({
      kind: "unusable_folder",
      folder,
      message: error instanceof Error ? error.message : String(error),
    })
  }
}

/** A full disk keeps nobody from looking. */
const onlyReads = /^\s*(?:select|with)\b(?!.*\b(?:insert|update|delete|merge|share|nextval|pg_notify)\b)/is

/**
 * Its log grows in files of 16 MB. When there is no space for the next one, the engine never returns, and with it stands the whole process:
 * so nothing is written when there is little left.
 */
const leastFreeBytes = 64 * 1024 * 1024

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** There is one connection, so transactions come one after the other. */
const transactionsOn =
  (
    postgres: PGlite,
    schema: string,
    ports: AttemptPorts & { readonly beforeChange: () => void; readonly swept: Sweep },
  ): Database["transaction"] =>
  (work) =>
    withAttempts(
      () =>
        postgres
          .transaction((one) => {
            ports.beforeChange()
            return work(statementsOver(one, schema, ports.swept))
          })
          .catch(lost),
      ports,
    )

function statementsOver(
  client: Pick<PGlite, "query">,
  schema: string,
  swept: Sweep,
  before: (statement: string) => void = () => undefined,
): Sql {
  const rows = async <Row extends object>(
    statement: string,
    values: readonly SqlValue[] = [],
  ): Promise<readonly Row[]> => {
    before(statement)
    const { rows: found } = await client.query<Row>(statement, sendable(values)).catch(lost)
    swept([...values, ...found.flatMap((row): unknown[] => Object.values(row))])
    return found
  }
  return {
    rows,
    notify: async (topic, what) => void (await rows("select pg_notify($1, $2)", [channelOf(schema, topic), what])),
  }
}

/** Is told what went to the engine or came from it, and now and then has what that left behind collected. */
type Sweep = (values: readonly unknown[]) => void

/** What the engine's client leaves behind for a statement, and how much of it may gather. */
const [statementBytes, mostBytes] = [30_000, 30_000_000]

/**
 * The runtime takes the engine's 128 MB for a large heap of ours and would let some 500 MB of garbage gather beside it: memory that the system
 * does not have for others, and pauses of a tenth of a second.
 */
function openSweep(): Sweep {
  let left = 0
  return (values) => {
    left += statementBytes
    for (const value of values) left += lengthOf(value) * 4
    if (left <= mostBytes) return
    left = 0
    Bun.gc(false)
  }
}

const lengthOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : Array.isArray(value)
      ? value.reduce<number>((sum, one) => sum + lengthOf(one), 0)
      : 0

function lost(error: unknown): never {
  throw asLost(error)
}

/** Postgres's own numbers of types. The package has names for them, which it lacks once it is bundled. */
const [bytea, int8] = [17, 20]

async function start(data: string, engine: Engine): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite")
  const open = async (dataDir: string): Promise<PGlite> =>
    PGlite.create({
      dataDir,
      // The default would take another 128 MB, for data that is a fraction of it.
      startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"],
      parsers: {
        // As a server's client gives it: a number would lose digits.
        [int8]: (text) => text,
        [bytea]: (text) => Uint8Array.fromHex(text.slice(String.raw`\x`.length)),
      },
      // The engine's own makes a string of every byte, which takes seconds for the files of a session.
      serializers: { [bytea]: (bytes: Uint8Array) => String.raw`\x` + bytes.toHex() },
      ...(engine.wasm && { pgliteWasmModule: await WebAssembly.compile(await engine.wasm.arrayBuffer()) }),
      ...(engine.files && { fsBundle: engine.files }),
    })
  if (!existsSync(data)) await makeEmpty(data, engine.empty, open)
  // The engine gives its files the usual modes: nobody else gets as far as them.
  chmodSync(data, 0o700)
  return open(data)
}

/** Complete or not there: whoever is killed meanwhile leaves nothing that looks like a database. */
async function makeEmpty(
  data: string,
  empty: Blob | undefined,
  open: (folder: string) => Promise<PGlite>,
): Promise<void> {
  const fresh = `${data}.new`
  rmSync(fresh, { recursive: true, force: true })
  if (empty) {
    mkdirSync(fresh, { mode: 0o700 })
    await new Bun.Archive(await empty.bytes()).extract(fresh)
  } else {
    await (await open(fresh)).close()
  }
  renameSync(fresh, data)
}

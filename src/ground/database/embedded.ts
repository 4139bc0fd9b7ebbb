/** Postgres inside the program, with its data in a folder that belongs to this process alone. */

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { PGlite } from "@electric-sql/pglite"
import type { Database, Sql, SqlValue } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AttemptPorts, withAttempts } from "./attempts.ts"
import type { DatabaseFailure } from "./failure.ts"
import { layFoundation, migrate } from "./migrate.ts"
import { becomeOnlyProcess } from "./only-process.ts"
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
    const postgres = await start(join(folder, "data"), engine)
    const transaction = transactionsOn(postgres, schema, ports)
    await layFoundation(transaction, schema)
    await postgres.query(`set search_path to ${schema}`)
    return ok({
      ...statementsOver(postgres, schema),
      transaction,
      migrate: (tables) => migrate(transaction, tables),
      watch: (topic, told) => postgres.listen(channelOf(schema, topic), told),
      async close() {
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

/** There is one connection, so transactions come one after the other. */
const transactionsOn =
  (postgres: PGlite, schema: string, ports: AttemptPorts): Database["transaction"] =>
  (work) =>
    withAttempts(() => postgres.transaction((one) => work(statementsOver(one, schema))), ports)

function statementsOver(client: Pick<PGlite, "query">, schema: string): Sql {
  const rows = async <Row extends object>(
    statement: string,
    values: readonly SqlValue[] = [],
  ): Promise<readonly Row[]> => (await client.query<Row>(statement, sendable(values))).rows
  return {
    rows,
    tell: async (topic, what) => void (await rows("select pg_notify($1, $2)", [channelOf(schema, topic), what])),
  }
}

async function start(data: string, engine: Engine): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite")
  const open = async (dataDir: string): Promise<PGlite> =>
    PGlite.create({
      dataDir,
      // The default would take another 128 MB, for data that is a fraction of it.
      startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"],
      // As a server's client gives it: a number would lose digits.
      parsers: { 20: (text: string) => text },
      ...(engine.wasm && { pgliteWasmModule: await WebAssembly.compile(await engine.wasm.arrayBuffer()) }),
      ...(engine.files && { fsBundle: engine.files }),
    })
  if (!existsSync(data)) await makeEmpty(data, engine.empty, open)
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

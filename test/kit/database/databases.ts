/** Databases for tests: the embedded one, and schemas of one server. */

import { mkdirSync } from "node:fs"
import type { AttemptPorts } from "#ground/database/attempts.ts"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import { type DatabasePlace, openDatabase } from "#ground/database/open.ts"
import { emptyDatabase } from "../../../scripts/empty-database.ts"
import { valueOf } from "../team/conformance.ts"
import type { TemporaryFolder } from "../tmp.ts"

export const ports: AttemptPorts = { clock: systemClock, ids: systemIds }

/** From the archive, as in the executable: making an empty database takes ten seconds. */
export const embeddedIn = async (folder: Pick<TemporaryFolder, "join">): Promise<DatabasePlace> => ({
  kind: "embedded",
  folder: folder.join("database"),
  engine: { empty: Bun.file(await emptyDatabase()) },
})

/** For a program that finds it there: one that runs from source would make it. */
export async function layEmbedded(folder: Pick<TemporaryFolder, "join">): Promise<void> {
  const data = folder.join("database/data")
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await new Bun.Archive(await Bun.file(await emptyDatabase()).bytes()).extract(data)
}

export const opened = async (place: DatabasePlace, schema?: string): Promise<Database> =>
  valueOf(await openDatabase(place, ports, schema))

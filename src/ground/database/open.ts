/** Opens a Postgres database. Whichever it is, its code is loaded only now. */

import type { Database } from "#lib/database.ts"
import type { Result } from "#lib/result.ts"
import type { AttemptPorts } from "./attempts.ts"
import type { EmbeddedPlace } from "./embedded.ts"
import type { DatabaseFailure } from "./failure.ts"
import type { ServerPlace } from "./server.ts"
import { isName } from "./values.ts"

export type DatabasePlace = EmbeddedPlace | ServerPlace

/** All tables are in one schema, so that a database can be shared with other programs. */
const ownSchema = "codewright"

export async function openDatabase(
  place: DatabasePlace,
  ports: AttemptPorts,
  schema: string = ownSchema,
): Promise<Result<Database, DatabaseFailure>> {
  if (!isName(schema)) throw new Error(`${schema} cannot be the name of a schema`)
  if (place.kind === "embedded") return (await import("./embedded.ts")).openEmbedded(place, schema, ports)
  return (await import("./server.ts")).openServer(place, schema, ports)
}

/** A program with an embedded database, for building an executable of it. Takes the folder; counts how often it was started there. */

import { bundledEngine } from "#ground/bundled/engine.ts"
import { openDatabase } from "#ground/database/open.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

const [folder = ""] = process.argv.slice(2)
const engine = await bundledEngine()
const from = performance.now()
const database = await openDatabase({ kind: "embedded", folder, engine }, { clock: systemClock, ids: systemIds })
if (!database.ok) throw new Error(JSON.stringify(database.failure))
const openMs = Math.round(performance.now() - from)
await database.value.migrate({ name: "starts", steps: ["create table starts (at timestamptz)"] })
await database.value.rows("insert into starts values (now())")
const [{ starts = 0 } = {}] = await database.value.rows<{ starts: number }>(
  "select count(*)::integer as starts from starts",
)
const megabytes = Math.round(process.memoryUsage.rss() / 1e6)
await database.value.close()
process.stdout.write(`${JSON.stringify({ isBundled: engine !== undefined, starts, openMs, megabytes })}\n`)

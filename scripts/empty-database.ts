/** An empty embedded database as an archive, made once for the version of the engine: starting from it takes a tenth of the time. */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { dependencies } from "../package.json"

const folder = resolve(import.meta.dir, "../node_modules/.cache/codewright-database")

/** What an executable needs in order to have a database: see src/ground/bundled/engine.ts. */
export const databaseAssets = async (): Promise<readonly string[]> => [
  "--asset=node_modules/@electric-sql/pglite/dist/pglite.wasm",
  "--asset=node_modules/@electric-sql/pglite/dist/pglite.data",
  `--asset=${await emptyDatabase()}`,
]

/** Its path. */
export async function emptyDatabase(): Promise<string> {
  const path = join(folder, `empty-database-${dependencies["@electric-sql/pglite"]}.tar.gz`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const place = mkdtempSync(join(folder, "making-"))
  try {
    const data = join(place, "data")
    const database = await PGlite.create(data)
    await database.query("checkpoint")
    await database.close()
    const archive = join(place, "archive")
    const { exitCode, stderr } = Bun.spawnSync(["tar", "-czf", archive, "-C", data, "."])
    if (exitCode !== 0) throw new Error(stderr.toString())
    renameSync(archive, path)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return path
}

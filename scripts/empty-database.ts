/** An empty embedded database as an archive, made once for the version of the engine: starting from it takes a tenth of the time. */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { engineFiles } from "#ground/bundled/engine.ts"
import { dependencies } from "../package.json"

const folder = resolve(import.meta.dir, "../node_modules/.cache/codewright-database")

/** What an executable needs in order to have a database, by the names of src/ground/bundled/engine.ts. */
export async function databaseFiles(): Promise<{ readonly [name: string]: Uint8Array }> {
  const engine = (name: string): Promise<Uint8Array> =>
    Bun.file(resolve(import.meta.dir, "../node_modules/@electric-sql/pglite/dist", name)).bytes()
  return {
    [engineFiles.wasm]: await engine("pglite.wasm"),
    [engineFiles.files]: await engine("pglite.data"),
    [engineFiles.empty]: Bun.gunzipSync(await Bun.file(await emptyDatabase()).bytes()),
  }
}

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

/** An empty embedded database as an archive, made once for the version of the engine: starting from it takes a tenth of the time. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join, resolve } from "node:path"
import { engineFiles } from "#ground/bundled/engine.ts"
import { dependencies } from "../package.json"
import { type Entry, tar } from "./release/archives.ts"

const folder = resolve(import.meta.dir, "../node_modules/.cache/codewright-database")

const packageFolder = resolve(import.meta.dir, "../node_modules/@electric-sql/pglite/dist")

/** What an executable needs in order to have a database, by the names of src/ground/bundled/engine.ts. */
export async function databaseFiles(): Promise<{ readonly [name: string]: Uint8Array }> {
  const engine = (name: string): Promise<Uint8Array> => Bun.file(join(packageFolder, name)).bytes()
  return {
    [engineFiles.wasm]: await engine("pglite.wasm"),
    [engineFiles.files]: withoutUnused(await engine("pglite.data"), await placesIn("pglite.data")),
    [engineFiles.empty]: Bun.gunzipSync(await Bun.file(await emptyDatabase()).bytes()),
  }
}

/** Only for making a database, which we bring along, for other encodings than UTF-8, for searching text by its grammar, for copies, for building extensions. */
const unused =
  /\/pgxs\/|\/utf8_and_|\/\w+_and_\w+\.so$|\/(?:dict_snowball|libpqwalreceiver|pgoutput)\.so$|\/tsearch_data\/|\.(?:bki|sql|sample)$/

/** The files are found by their places, so those that nobody opens become zeros. */
function withoutUnused(data: Uint8Array, places: readonly Place[]): Uint8Array {
  const kept = new Uint8Array(data)
  for (const { name, start, end } of places) if (unused.test(name)) kept.fill(0, start, end)
  return kept
}

interface Place {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** As the script that reads the archive knows them. */
async function placesIn(archive: string): Promise<readonly Place[]> {
  const scripts = readdirSync(packageFolder).filter((name) => name.endsWith(".js"))
  const texts = await Promise.all(scripts.map((name) => Bun.file(join(packageFolder, name)).text()))
  const places = texts
    .flatMap((text) => [...text.matchAll(/filename"?:"([^"]+)","?start"?:([\d.e]+),"?end"?:([\d.e]+)/g)])
    .map(([, name = "", start, end]) => ({ name, start: Number(start), end: Number(end) }))
  const size = statSync(join(packageFolder, archive)).size
  if (Math.max(...places.map(({ end }) => end)) !== size) throw new Error(`The files in ${archive} were not found.`)
  return places
}

/** Its path. */
export async function emptyDatabase(): Promise<string> {
  const path = join(folder, `empty-database-${dependencies["@electric-sql/pglite"]}-same-everywhere.tar.gz`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const place = mkdtempSync(join(folder, "making-"))
  try {
    const archive = join(place, "archive")
    writeFileSync(archive, Bun.gzipSync(Buffer.from(emptyDatabaseMade(join(place, "data")))))
    renameSync(archive, path)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return path
}

/** As an archive, with the same bytes on every machine. */
export function emptyDatabaseMade(data: string): Uint8Array {
  const script = join(import.meta.dir, "make-empty-database.ts")
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, data], { env: { TZ: "UTC" } })
  if (exitCode !== 0) throw new Error(`The empty database could not be made. ${stderr.toString()}`)
  const names = readdirSync(data, { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1))
  const entries = names.map((name): Entry => {
    const path = join(data, name)
    if (statSync(path).isDirectory()) return { path: `./${name}/`, mode: 0o700 }
    return { path: `./${name}`, contents: readFileSync(path), mode: 0o600 }
  })
  return tar(entries, 0)
}

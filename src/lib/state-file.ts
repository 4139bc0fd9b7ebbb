/** Files in which something is kept for the next start, such as the user's answers by project. */

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { isObject, type JsonObject } from "./json.ts"
import { quietly } from "./quietly.ts"
import { failed, ok, type Result } from "./result.ts"

/** What a file keeps by project; nothing if it is missing or damaged. Not cached: other processes write to it too. */
export function projectsIn(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    return isObject(value) && isObject(value.projects) ? value.projects : {}
  } catch {
    return {}
  }
}

export function projectIn(file: string, root: string): JsonObject {
  const all = projectsIn(file)
  const found = Object.hasOwn(all, root) ? all[root] : undefined
  return isObject(found) ? found : {}
}

/**
 * Readers see the old text or the new one, and no two processes write to one draft. `isSynced`: also a loss of power
 * leaves one of the two. The failure is a sentence.
 */
export function replaceFile(
  file: string,
  text: string,
  { mode = 0o600, isSynced = false }: { readonly mode?: number; readonly isSynced?: boolean } = {},
): Result<void, string> {
  const draft = `${file}.${process.pid}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // What lies there from an earlier try may be a link by now.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode, flag: "wx" })
    if (isSynced) sync(draft)
    renameSync(draft, file)
    return ok(undefined)
  } catch (error) {
    quietly(() => rmSync(draft, { force: true }))
    return failed(`${file} could not be written (${error instanceof Error ? error.message : String(error)}).`)
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, "r+")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

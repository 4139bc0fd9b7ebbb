/** Reads files of a plugin, never one outside its folder. */

import { readFileSync, realpathSync, statSync } from "node:fs"
import { isAbsolute, relative, resolve } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { realOf } from "./find.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type Say = (problem: string) => void

export interface WrittenJson {
  readonly file: string
  readonly value: JsonObject
}

const largest = 1_000_000

/** A path that a manifest names; undefined if it leads out of the plugin or to nothing, which is said. */
export const openWithin =
  (root: string, say: Say) =>
  (field: string, written: string): string | undefined => {
    const whole = resolve(root, written.replace(placeOfRoot, "."))
    const real = realOf(whole)
    const isInside = isWithin(root, whole) && (real === undefined || isWithin(root, real))
    if (!isInside) say(`${field} names ${written}, which is outside the plugin; it is left out.`)
    else if (real === undefined) say(`${field} names ${written}, which does not exist.`)
    return isInside && real !== undefined ? whole : undefined
  }

const placeOfRoot = /^\$\{(?:CLAUDE_|CODEWRIGHT_)?PLUGIN_ROOT\}/

/** `root` with links resolved. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way))
}

export function folderAt(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined
  } catch {
    return undefined
  }
}

/** `optional`: an empty object if it does not exist. The failure continues a sentence. */
export function jsonIn(root: string, file: string, presence: "needed" | "optional"): Result<JsonObject, string> {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat && presence === "optional") return ok({})
    if (!stat?.isFile()) return failed(`${file} is not a file`)
    if (!isWithin(root, realpathSync(file))) return failed(`${file} is a link out of the plugin`)
    if (stat.size > largest) return failed(`${file} is larger than ${largest / 1e6} MB`)
    const value: unknown = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""))
    return isObject(value) ? ok(value) : failed(`${file} must hold an object`)
  } catch (error) {
    return failed(`${file} cannot be read (${error instanceof Error ? error.message : String(error)})`)
  }
}

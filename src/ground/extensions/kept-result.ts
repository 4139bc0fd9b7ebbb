/**
 * Something worked out from many files, kept between starts: looking at the state of a file takes a small part of the
 * time that reading it takes. It counts only as long as none of the files and folders was touched.
 */

import { lstatSync, readFileSync, statSync } from "node:fs"
import { isObject, type JsonValue } from "#lib/json.ts"
import { version } from "#lib/version.ts"
import { replaceFile } from "#lib/state-file.ts"

export interface KeptResult {
  /** Undefined if there is none for this key, or if a file was touched since. */
  readonly read: (key: string) => { readonly value: JsonValue; readonly states: string } | undefined
  readonly write: (made: MadeResult) => void
}

export interface MadeResult {
  /** Everything that it depends on besides the files. */
  readonly key: string
  /** Files and folders, also those that do not exist. */
  readonly paths: readonly string[]
  /** As they were before they were read; as they are now when absent. */
  readonly states?: FileStates
  /** When reading them began. */
  readonly sinceMs: number
  readonly value: JsonValue
}

export interface FileStates {
  readonly digest: string
  readonly newestMs: number
}

/** Some file systems tell no more than every other second apart. */
const coarsestMs = 2_000
const format = 2
/** Between paths. JSON writes it as it is, so that a long text is copied and not read character by character. */
const separator = "\u007f"

/** `links`: whether the state of a link is its own, or that of what it leads to. */
export const openKeptResult = (file: string, links: "own" | "followed"): KeptResult => ({
  read(key) {
    try {
      const value: JsonValue = JSON.parse(readFileSync(file, "utf8"))
      if (!isObject(value) || value.version !== version || value.format !== format || value.key !== digestOf(key))
        return undefined
      const { paths, states, result } = value
      if (typeof paths !== "string" || typeof states !== "string" || result === undefined) return undefined
      return statesOf(paths === "" ? [] : paths.split(separator), links).digest === states
        ? { value: result, states }
        : undefined
    } catch {
      return undefined
    }
  },
  write({ key, paths, states = statesOf(paths, links), sinceMs, value }) {
    // A file that was just changed may change again without looking different.
    if (states.newestMs > sinceMs - coarsestMs || paths.some((path) => path.includes(separator))) return
    const named = { version, format, key: digestOf(key), paths: paths.join(separator), states: states.digest }
    // Where it fails, the next start reads the files again.
    void replaceFile(file, JSON.stringify({ ...named, result: value }))
  },
})

const digestOf = (key: string): string => new Bun.CryptoHasher("sha256").update(key).digest("hex")

const factsPerFile = 5

/** Of sizes, modes, inodes and times. A program can set the time of a file's last change back, but not the time of that. */
export function statesOf(paths: readonly string[], links: "own" | "followed"): FileStates {
  const stat = links === "own" ? lstatSync : statSync
  const facts = new Float64Array(paths.length * factsPerFile)
  let newestMs = 0
  let at = 0
  for (const path of paths) {
    const found = stat(path, quietly)
    if (found) {
      facts[at] = found.ino
      facts[at + 1] = found.size
      facts[at + 2] = found.mode
      facts[at + 3] = found.mtimeMs
      facts[at + 4] = found.ctimeMs
      if (found.ctimeMs > newestMs) newestMs = found.ctimeMs
    }
    at += factsPerFile
  }
  return { digest: new Bun.CryptoHasher("sha256").update(facts).digest("hex"), newestMs }
}

const quietly = { throwIfNoEntry: false } as const

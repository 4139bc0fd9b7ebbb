/**
 * What the heads of many commands and skills say, kept between starts: reading hundreds of files takes longer than all
 * else at the start. An entry counts only for a file that has not been touched since.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { CommandDefinition } from "#agent/words/command.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { lazily } from "#lib/lazily.ts"
import { version } from "#lib/version.ts"
import { stampOf } from "./find.ts"
import { replaceFile } from "#lib/state-file.ts"

/** A definition without its text. */
export type Head = Omit<CommandDefinition, "body">

export interface HeadIndex {
  /** Of a file as it is now; undefined if it is not known. */
  readonly get: (file: HeadFile) => Head | undefined
  readonly put: (file: HeadFile, head: Head) => void
  /** Keeps what is new, where that is worth a file. */
  readonly save: () => void
}

export interface HeadFile {
  readonly path?: string
  /** The same file under another name is another command. */
  readonly name: string
  /** The state in which it was found, where that is known. */
  readonly stamp?: string
}

/** Fewer are read as quickly as the index itself. */
const fewest = 50

export function openHeadIndex(stateFolder: string): HeadIndex {
  const file = join(stateFolder, "cache", "extension-heads.json")
  const kept = lazily(() => readIndex(file))
  const fresh = new Map<string, Entry>()
  return {
    get({ path, name, stamp }) {
      if (path === undefined) return undefined
      const entry = fresh.get(keyOf(path, name)) ?? entryIn(kept()[keyOf(path, name)])
      return entry && entry.stamp === (stamp ?? stampOf(path)) ? entry.head : undefined
    },
    put({ path, name }, head) {
      const stamp = path === undefined ? undefined : stampOf(path)
      if (path !== undefined && stamp !== undefined) fresh.set(keyOf(path, name), { stamp, head })
    },
    save() {
      if (fresh.size < fewest) return
      const all = { version, heads: { ...kept(), ...Object.fromEntries(fresh) } }
      // Where it fails, the next start reads the files again.
      if (replaceFile(file, JSON.stringify(all)).ok) fresh.clear()
    },
  }
}

interface Entry {
  readonly stamp: string
  readonly head: Head
}

const keyOf = (path: string, name: string): string => `${name} ${path}`

/** Written by this version only: another may read heads in another way. */
function readIndex(file: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(readFileSync(file, "utf8"))
    return isObject(value) && value.version === version && isObject(value.heads) ? value.heads : {}
  } catch {
    return {}
  }
}

/** Only this program writes there. */
const entryIn = (value: JsonValue | undefined): Entry | undefined =>
  isObject(value) && isObject(value.head) ? (value as unknown as Entry) : undefined

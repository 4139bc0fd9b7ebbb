/**
 * The journal of a command: what the recorder saved before each change, in the order in which paths were first touched.
 * See decision 147.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Stamp } from "./state.ts"
import { tooLarge } from "./steady-read.ts"
import type { FoundPath } from "./walk.ts"

export interface Touched {
  readonly path: string
  /** Before the first change; undefined if nothing was there. */
  readonly found: FoundPath | undefined
  /** The file with the content it had; absent if it had none. */
  readonly content?: string
}

/** A file that was too large to be saved, so the call that would have written to it failed. */
export interface RefusedFile {
  readonly path: string
  readonly bytes: number
}

export interface Journal {
  readonly folder: string
  /** What was touched since the last call. */
  readonly read: () => readonly Touched[]
  /** As far as it was read. */
  readonly refused: () => readonly RefusedFile[]
  /** Whether nobody is left who could change something. */
  readonly isEnded: () => boolean
  /** Why it may lack something that was changed. */
  readonly gap: () => string | undefined
}

const header = "codewright journal 1"
const fieldsOfRecord = 13

export function openJournal(folder: string): Journal {
  let seen = 0
  let isEnded = false
  let gap: string | undefined
  const refused: RefusedFile[] = []

  function read(): readonly Touched[] {
    const fields = fieldsIn(join(folder, "records"))
    if (fields[0] !== header) {
      gap ??= notRecorded
      return []
    }
    gap = gap === notRecorded ? undefined : gap
    const touched: Touched[] = []
    // A record is whole once the line feed after its last field is there.
    for (let at = 1 + seen * fieldsOfRecord; fields[at + fieldsOfRecord]?.startsWith("\n"); at += fieldsOfRecord) {
      seen++
      const [kind = "", path = "", ...rest] = fields.slice(at, at + fieldsOfRecord)
      if (kind === "\ne") isEnded = true
      else if (kind === "\nx") gap = "it ran a 32-bit program, whose changes are not recorded"
      else if (path.includes("\u{fffd}")) gap = "the name of a changed file is not valid text"
      else if (kind === "\nr") refused.push({ path, bytes: Number(rest[1]) })
      else touched.push(touchedOf(folder, kind.slice(1), path, rest))
    }
    return touched
  }

  return { folder, read, refused: () => refused, isEnded: () => isEnded, gap: () => gap }
}

const notRecorded = "its changes were not recorded"

function touchedOf(folder: string, kind: string, path: string, fields: readonly string[]): Touched {
  const text = fields[10] ?? ""
  const [
    mode = 0,
    bytes = 0,
    seconds = 0,
    part = 0,
    since = 0,
    sincePart = 0,
    inode = 0,
    major = 0,
    minor = 0,
    number = 0,
  ] = fields.slice(0, 10).map(Number)
  const stamp: Stamp = {
    bytes,
    modifiedMs: seconds * 1000 + part / 1e6,
    changedMs: since * 1000 + sincePart / 1e6,
    inode,
    device: deviceOf(major, minor),
    settled: true,
  }
  switch (kind) {
    case "f":
      return {
        path,
        found: { kind: "file", mode, stamp },
        ...(number > 0 && { content: join(folder, String(number)) }),
      }
    case "l":
      return { path, found: { kind: "link", target: text, stamp } }
    case "d":
      return { path, found: { kind: "folder", mode } }
    case "u":
      return { path, found: { kind: "uncovered", why: reasonOf(text, bytes), stamp } }
    default:
      return { path, found: undefined }
  }
}

function reasonOf(word: string, bytes: number): string {
  switch (word) {
    case "large":
      return tooLarge(bytes)
    case "special":
      return "it is a pipe, a socket or a device"
    case "deep":
      return "it has too many folders in one another"
    default:
      return "it may not be read"
  }
}

/** As the system packs the two numbers. */
const deviceOf = (major: number, minor: number): number =>
  (major & 0xfff) * 0x100 + (minor & 0xff) + Math.floor(minor / 0x100) * 0x100000

function fieldsIn(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\0")
  } catch {
    return []
  }
}

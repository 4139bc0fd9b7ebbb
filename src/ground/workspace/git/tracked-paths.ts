/** The files that git tracks, from its own list: reading it takes a tenth of the time of looking into every folder, and runs nothing. */

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { findRepository, gitFolders } from "./git.ts"

/** Larger lists are of millions of files. */
const mostBytes = 400_000_000

/**
 * Paths below a folder, one a line, each ended by a line break; without links and submodules. Undefined where there is
 * no list, where it is smaller than `leastBytes`, or where it is of a kind that is not read here.
 */
export function trackedPaths(folder: string, leastBytes: number): string | undefined {
  const repository = findRepository(folder)
  const own = repository && gitFolders(repository.root)
  if (!repository || !own) return undefined
  try {
    const path = join(own.own, "index")
    const { size } = statSync(path)
    // Hashes of another length move everything.
    if (size < leastBytes || size > mostBytes || /sha256/i.test(readFileSync(join(own.shared, "config"), "utf8")))
      return undefined
    const below = folder === repository.root ? "" : `${folder.slice(repository.root.length + 1)}/`
    return pathsIn(readWhole(path, size), below)
  } catch {
    return undefined
  }
}

function readWhole(path: string, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  const file = openSync(path, "r")
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, size, 0))
  } finally {
    closeSync(file)
  }
}

const headBytes = 12
/** Times, ids, mode, size and hash come before the flags of an entry. */
const modeAt = 24
const flagsAt = 60
const newline = 10

/** See gitformat-index(5). */
function pathsIn(index: Buffer, below: string): string | undefined {
  if (index.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (version < 2 || version > 4) return undefined
  const prefix = Buffer.from(below)
  const paths = openPathBuffer(index.length)
  /** In version 4 an entry says how much of the path before it to keep. */
  const path = Buffer.allocUnsafe(70_000)
  let length = 0
  let at = headBytes
  for (let i = 0; i < count; i++) {
    const isHere = isFileHere(index, at)
    let from = at + flagsAt + (hasMoreFlags(index, at) ? 4 : 2)
    if (version === 4) {
      let dropped = index[from] ?? 0
      let value = dropped & 127
      while (dropped & 128) {
        dropped = index[++from] ?? 0
        value = ((value + 1) << 7) | (dropped & 127)
      }
      length -= value
      from++
    } else length = 0
    const end = index.indexOf(0, from)
    if (end === -1 || length < 0 || length + end - from > path.length) return undefined
    length += index.copy(path, length, from, end)
    // Entries of earlier versions are padded to multiples of eight bytes, with at least one NUL.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
    if (isHere && isBelow(path, length, prefix)) paths.add(path, prefix.length, length)
  }
  // What follows the entries says, among other things, that they are only a part.
  return index.toString("latin1", at, at + 4) === "link" ? undefined : paths.text()
}

const hasMoreFlags = (index: Buffer, at: number): boolean => ((index[at + flagsAt] ?? 0) & 0x40) !== 0

/** A regular file that is checked out; of one with conflicts, only our side. */
function isFileHere(index: Buffer, at: number): boolean {
  if (index.readUInt16BE(at + modeAt + 2) >> 12 !== 8) return false
  const stage = ((index[at + flagsAt] ?? 0) >> 4) & 3
  const isLeftOut = hasMoreFlags(index, at) && ((index[at + flagsAt + 2] ?? 0) & 0x40) !== 0
  return !isLeftOut && (stage === 0 || stage === 2)
}

const isBelow = (path: Buffer, length: number, prefix: Buffer): boolean =>
  length > prefix.length && path.compare(prefix, 0, prefix.length, 0, prefix.length) === 0

function openPathBuffer(most: number) {
  let bytes = Buffer.allocUnsafe(Math.min(most, 1 << 20))
  let used = 0
  return {
    add(path: Buffer, from: number, to: number): void {
      // A line break in a name would make two paths of one.
      if (path.subarray(from, to).includes(newline)) return
      if (used + to - from + 1 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2 + to)
      used += path.copy(bytes, used, from, to)
      bytes[used++] = newline
    },
    text: () => bytes.toString("utf8", 0, used),
  }
}

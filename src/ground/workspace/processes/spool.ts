/**
 * The file for the output of a command: all of it, or its beginning and its end if it is too long. A full disk ends the
 * file, not the command.
 */

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"

export interface Spool {
  readonly add: (chunk: Uint8Array) => void
  /** Puts beginning and end together. */
  readonly close: () => void
  /** `ends`: something in the middle is left out. `beginning`: the rest could not be written, or is not over yet. */
  readonly kept: () => "all" | "ends" | "beginning"
  /** The last bytes of what was added, at most so many; undefined when they were not kept. */
  readonly ending: (most: number) => Uint8Array | undefined
  /** Undefined when it could not be created. */
  readonly file: () => string | undefined
  readonly bytes: () => number
}

export interface SpoolLimit {
  /** The most bytes in the file; none is made for 0. */
  readonly most: number
  /** Stands in the file where something is left out. */
  readonly note: (leftOut: number) => string
}

export function openSpool(file: string, beginning: Uint8Array, { most, note }: SpoolLimit): Spool {
  let fd: number | undefined
  let tail: Ring | undefined
  let written = 0
  let total = 0
  let kept: ReturnType<Spool["kept"]> = "all"

  function add(chunk: Uint8Array): void {
    total += chunk.length
    if (fd === undefined) return
    const part = chunk.subarray(0, Math.max(0, most - written))
    try {
      written += writeAll(fd, part)
      if (part.length === chunk.length) return
      if (kept === "all") {
        tail = openRing(`${file}.end`, Math.floor(most / 2))
        kept = "beginning"
      }
      tail?.add(chunk.subarray(part.length))
    } catch {
      kept = "beginning"
      written = most
      tail?.remove()
      tail = undefined
    }
  }

  /** The beginning, a note, and the end, in a new file that takes the place of this one. */
  function join(from: number, end: Ring): void {
    const half = Math.floor(most / 2)
    const ofFile = Math.max(0, half - end.bytes())
    const joined = `${file}.new`
    const to = openSync(joined, "w", 0o600)
    try {
      const leftOut = total - half - ofFile - end.bytes()
      copy(from, { from: 0, bytes: half }, to)
      if (leftOut > 0) writeAll(to, Buffer.from(note(leftOut)))
      copy(from, { from: written - ofFile, bytes: ofFile }, to)
      for (const range of end.last(end.bytes())) copy(end.fd, range, to)
      written = fstatSync(to).size
      renameSync(joined, file)
      kept = leftOut > 0 ? "ends" : "all"
    } catch {
      rmSync(joined, { force: true })
    } finally {
      closeSync(to)
    }
  }

  function close(): void {
    if (fd === undefined) return
    try {
      if (tail) join(fd, tail)
    } catch {
      // Then the file has the beginning.
    } finally {
      tail?.remove()
      tail = undefined
      closeSync(fd)
      fd = undefined
    }
  }

  try {
    if (most > 0) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, "", { mode: 0o600 })
      fd = openSync(file, "a+")
      add(beginning)
    } else kept = "beginning"
  } catch {
    kept = "beginning"
  }
  const isKept = fd !== undefined
  return {
    add,
    close,
    kept: () => kept,
    ending(bytes) {
      const ring = tail
      if (!isKept || (kept === "beginning" && !ring)) return undefined
      try {
        return ring
          ? Buffer.concat(ring.last(bytes).map((range) => readRange(ring.fd, range)))
          : readEnding(file, bytes)
      } catch {
        return undefined
      }
    },
    file: () => (isKept ? file : undefined),
    bytes: () => (isKept ? written : 0),
  }
}

interface FileRange {
  readonly from: number
  readonly bytes: number
}

/** A file that has the last bytes of what was added to it. */
interface Ring {
  readonly fd: number
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => number
  /** Where the last bytes are, oldest first; all it has if that is less. */
  readonly last: (bytes: number) => readonly FileRange[]
  readonly remove: () => void
}

function openRing(path: string, size: number): Ring {
  const fd = openSync(path, "w+", 0o600)
  let total = 0
  const bytes = (): number => Math.min(total, size)
  return {
    fd,
    add(chunk) {
      // Of more than it has room for only the end would stay.
      const part = chunk.length > size ? chunk.subarray(-size) : chunk
      total += chunk.length - part.length
      for (let done = 0; done < part.length;) {
        const at = total % size
        const written = writeSync(fd, part, done, Math.min(part.length - done, size - at), at)
        done += written
        total += written
      }
    },
    bytes,
    last(wanted) {
      const count = Math.min(wanted, bytes())
      const from = (total - count) % size
      const first = Math.min(count, size - from)
      return [
        { from, bytes: first },
        { from: 0, bytes: count - first },
      ]
    },
    remove() {
      closeSync(fd)
      rmSync(path, { force: true })
    },
  }
}

function writeAll(fd: number, bytes: Uint8Array): number {
  for (let from = 0; from < bytes.length;) from += writeSync(fd, bytes, from)
  return bytes.length
}

const pieceBytes = 256 * 1024

/** With one buffer for all pieces: new ones would pile up until they are collected. */
function copy(from: number, range: FileRange, to: number): void {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, range.bytes))
  for (let done = 0; done < range.bytes;) {
    const read = readSync(from, piece, 0, Math.min(piece.length, range.bytes - done), range.from + done)
    if (read === 0) throw new Error("it became shorter")
    writeAll(to, piece.subarray(0, read))
    done += read
  }
}

function readRange(fd: number, { from, bytes }: FileRange): Buffer {
  const piece = Buffer.allocUnsafe(bytes)
  let done = 0
  while (done < bytes) {
    const read = readSync(fd, piece, done, bytes - done, from + done)
    if (read === 0) break
    done += read
  }
  return piece.subarray(0, done)
}

function readEnding(file: string, most: number): Uint8Array {
  const fd = openSync(file, "r")
  try {
    const { size } = fstatSync(fd)
    return readRange(fd, { from: Math.max(0, size - most), bytes: Math.min(size, most) })
  } finally {
    closeSync(fd)
  }
}

/** Follows a log that another process writes: its entries as they are appended, until told to stop. */

import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { type Channel, channel } from "#lib/channel.ts"
import { watchFolder } from "#lib/state-file.ts"
import { decodeEntry } from "./line.ts"
import { unsealed } from "./seal.ts"

export interface Followed {
  readonly entries: AsyncIterable<Entry>
  /** Reads what is there, and ends. */
  readonly close: () => void
}

/** `from`: with all that is there already, or only with what comes. The file may not exist yet. */
export function followLog(path: string, from: "beginning" | "end"): Followed {
  const out: Channel<Entry> = channel<Entry>()
  const lines = openLines((text) => {
    const line = unsealed(text)
    const entry = line && decodeEntry(line)
    if (entry) out.push(entry)
  })
  let at = from === "end" ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
  let isClosed = false

  function read(): void {
    if (isClosed) return
    try {
      const file = openSync(path, "r")
      try {
        at = readFrom(file, at, lines)
      } finally {
        closeSync(file)
      }
    } catch {
      // Not there yet, or not any more.
    }
  }

  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const watcher = watchFolder(dirname(path), (name) => {
    if (name === null || name === basename(path)) read()
  })
  read()
  return {
    entries: out,
    close() {
      read()
      isClosed = true
      watcher.close()
      out.close()
    },
  }
}

const pieceBytes = 256 * 1024

function readFrom(file: number, from: number, onBytes: (bytes: Buffer) => void): number {
  const { size } = fstatSync(file)
  let at = from
  while (at < size) {
    const piece = Buffer.alloc(Math.min(pieceBytes, size - at))
    const length = readSync(file, piece, 0, piece.length, at)
    if (length === 0) break
    onBytes(piece.subarray(0, length))
    at += length
  }
  return at
}

/** A line counts once its end is there. */
function openLines(onLine: (text: string) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    const all = Buffer.concat([rest, bytes])
    let from = 0
    for (let end = all.indexOf(0x0a); end >= 0; end = all.indexOf(0x0a, from)) {
      onLine(all.toString("utf8", from, end))
      from = end + 1
    }
    rest = all.subarray(from)
  }
}

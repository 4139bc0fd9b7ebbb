/**
 * One file of the store: the contents a snapshot added, then its manifest, then the manifest's offset. Written under
 * a temporary name, synced and renamed, so that an existing file is complete.
 */

import { closeSync, fsync, mkdirSync, openSync, readSync, fstatSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { promised } from "#lib/promised.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Slot {
  readonly offset: number
  readonly length: number
  readonly packed: boolean
}

export interface PackWriter {
  readonly add: (hash: string, bytes: Uint8Array) => void
  /** Copies a content that is already in its stored form. */
  readonly addStored: (hash: string, stored: Uint8Array, packed: boolean) => void
  /** Syncs everything and renames the file. The manifest gets the table of contents. */
  readonly finish: (manifest: object) => Promise<{ readonly bytes: number; readonly slots: ReadonlyMap<string, Slot> }>
  readonly drop: () => void
}

const magic = "CWSNAP01"
/** The manifest's offset and length, its checksum, and the magic. */
const tailBytes = 8 + 8 + 8 + magic.length
const bufferBytes = 1 << 20
/** Shorter contents do not get smaller. */
const leastToPack = 96

export const packSuffix = ".snap"
export const temporarySuffix = ".new"

/** Waits until what was written to an open file or folder is on the disk. */
export const sync = (fd: number): Promise<void> => promised((done) => fsync(fd, (error) => done(error, undefined)))

export function openPackWriter(folder: string, id: string): PackWriter {
  const path = join(folder, id + packSuffix)
  const temporary = join(folder, id + temporarySuffix)
  const slots = new Map<string, Slot>()
  let fd: number | undefined
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let offset = 0

  const put = (bytes: Uint8Array): void => {
    waiting.push(bytes)
    waitingBytes += bytes.length
    offset += bytes.length
    if (waitingBytes >= bufferBytes) flush()
  }
  function flush(): void {
    fd ??= openNew(temporary)
    const all = waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    for (let done = 0; done < all.length;) done += writeSync(fd, all, done)
  }
  const addStored = (hash: string, stored: Uint8Array, packed: boolean): void => {
    if (slots.has(hash)) return
    slots.set(hash, { offset, length: stored.length, packed })
    put(stored)
  }

  return {
    addStored,
    add(hash, bytes) {
      if (slots.has(hash)) return
      const smaller = bytes.length < leastToPack ? undefined : Bun.zstdCompressSync(bytes, { level: 1 })
      const pays = smaller !== undefined && smaller.length < bytes.length * 0.95
      addStored(hash, pays ? smaller : bytes, pays)
    },
    async finish(manifest) {
      const at = offset
      const objects = [...slots].map(([hash, { offset: from, length, packed }]) => [hash, from, length, packed ? 1 : 0])
      const text = Bun.zstdCompressSync(Buffer.from(JSON.stringify({ ...manifest, objects })), { level: 3 })
      put(text)
      const tail = Buffer.alloc(tailBytes)
      tail.writeDoubleLE(at, 0)
      tail.writeDoubleLE(text.length, 8)
      tail.writeUInt32LE(Bun.hash.crc32(text), 16)
      tail.write(magic, 24, "latin1")
      put(tail)
      flush()
      if (fd === undefined) throw new Error("nothing was written")
      await sync(fd)
      closeSync(fd)
      fd = undefined
      renameSync(temporary, path)
      await syncFolder(folder)
      return { bytes: offset, slots }
    },
    drop() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
      rmSync(temporary, { force: true })
    },
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, "wx", 0o600)
  }
}

/** A file name is only as durable as its folder. */
async function syncFolder(folder: string): Promise<void> {
  const fd = openSync(folder, "r")
  try {
    await sync(fd)
  } finally {
    closeSync(fd)
  }
}

/** With its table of contents; throws when the file is damaged. */
export function readManifest(path: string): { readonly manifest: unknown; readonly bytes: number } {
  const fd = openSync(path, "r")
  try {
    const bytes = fstatSync(fd).size
    const tail = Buffer.from(piece(fd, bytes - tailBytes, tailBytes))
    if (tail.toString("latin1", 24) !== magic) throw new Error("it does not end as a snapshot ends")
    const text = piece(fd, tail.readDoubleLE(0), tail.readDoubleLE(8))
    if (Bun.hash.crc32(text) !== tail.readUInt32LE(16)) throw new Error("its checksum is wrong")
    return { manifest: JSON.parse(Buffer.from(Bun.zstdDecompressSync(text)).toString("utf8")), bytes }
  } finally {
    closeSync(fd)
  }
}

export function readStored(path: string, { offset, length }: Slot): Uint8Array {
  const fd = openSync(path, "r")
  try {
    return piece(fd, offset, length)
  } finally {
    closeSync(fd)
  }
}

export function unpacked(stored: Uint8Array, { packed }: Slot): Uint8Array {
  return packed ? Bun.zstdDecompressSync(stored) : stored
}

function piece(fd: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
  if (!(offset >= 0 && length >= 0 && Number.isSafeInteger(offset) && length < 2 ** 31))
    throw new Error("it is cut off")
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length;) {
    const got = readSync(fd, bytes, done, length - done, offset + done)
    if (got === 0) throw new Error("it is cut off")
    done += got
  }
  return bytes
}

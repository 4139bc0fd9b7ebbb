/** Snapshots as plain pieces, each with a name, for taking them to the store of another machine. A piece never changes. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { decodeManifest, encodeManifest } from "./manifest.ts"
import { filesIn } from "./manifests.ts"
import { openStore } from "./store.ts"

export interface CarriedPiece {
  readonly name: string
  readonly bytes: () => Uint8Array
}

/** Which snapshots a store has, without opening it. */
export const snapshotsIn = (folder: string): readonly string[] => openStore(folder).ids()

/** The contents of each snapshot come before it, so that one whose pieces are all there is whole. One that is damaged is left out. */
export function* piecesOf(folder: string, ids: readonly string[]): Iterable<CarriedPiece> {
  const store = openStore(folder)
  for (const id of ids) {
    const manifest = store.load(id)
    if (!manifest.ok) continue
    const hashes = [...manifest.value.objects.keys()]
    let isWhole = true
    for (const hash of hashes) {
      const content = store.content(hash)
      if (content.ok) yield { name: nameOf(hash), bytes: () => content.value }
      else isWhole = false
    }
    if (!isWhole) continue
    const text = JSON.stringify({ ...encodeManifest(manifest.value), objects: hashes })
    yield { name: `snapshots/${id}`, bytes: () => Buffer.from(text) }
  }
}

/** Adds snapshots to a store from a folder with their pieces; those it has stay as they are. */
export async function importPieces(from: string, folder: string): Promise<Result<void, SnapshotFailure>> {
  const store = openStore(folder)
  const known = new Set(store.ids())
  for (const id of filesIn(join(from, "snapshots")).sort()) {
    if (known.has(id)) continue
    const piece = readPiece(join(from, "snapshots", id))
    if (piece?.manifest.id !== id) continue
    const writer = store.writer(id)
    try {
      for (const hash of piece.hashes) writer.add(hash, readFileSync(join(from, nameOf(hash))))
    } catch (error) {
      writer.drop()
      return failed(failureOf(error, folder))
    }
    const written = await store.finish(writer, piece.manifest)
    if (!written.ok) return written
  }
  return ok(undefined)
}

const nameOf = (hash: string): string => `contents/${hash.slice(0, 2)}/${hash}`

function readPiece(path: string) {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"))
    const hashes = isObject(value) && Array.isArray(value.objects) ? (value.objects as readonly JsonValue[]) : []
    const manifest = isObject(value) ? decodeManifest({ ...value, objects: [] }) : undefined
    return manifest && { manifest, hashes: hashes.filter((each) => typeof each === "string") }
  } catch {
    return undefined
  }
}

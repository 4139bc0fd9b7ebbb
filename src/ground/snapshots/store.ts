/**
 * The files of the store: finds snapshots and contents in them, and adds to them. An existing file is only ever
 * replaced whole.
 */

import { statSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { dropAbsent, isSameList, type SnapshotTree } from "./tree.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { encodeManifest, type Manifest } from "./manifest.ts"
import { filesIn, openManifests } from "./manifests.ts"
import { openPackWriter, type PackWriter, readStored, type Slot, unpacked } from "./pack.ts"
import { openOwnFiles, type OwnFiles } from "./own-files.ts"
import type { PathState } from "./state.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Store {
  readonly folder: string
  readonly load: (id: string) => Result<Manifest, SnapshotFailure>
  readonly treeAt: (id: string) => Result<SnapshotTree, SnapshotFailure>
  /** How many snapshots must be read to know all of one. */
  readonly depthOf: (id: string) => number
  /** The newest snapshot of everything below these roots. */
  readonly newest: (roots: readonly string[]) => Manifest | undefined
  readonly has: (hash: string) => boolean
  readonly content: (hash: string) => Result<Uint8Array, SnapshotFailure>
  /** A content in its stored form, for copying. */
  readonly stored: (hash: string) => Result<{ readonly bytes: Uint8Array; readonly slot: Slot }, SnapshotFailure>
  /** The contents that are files of their own. */
  readonly ownFiles: OwnFiles
  readonly writer: (id: string) => PackWriter
  readonly finish: (
    writer: PackWriter,
    manifest: Omit<Manifest, "objects">,
  ) => Promise<Result<Manifest, SnapshotFailure>>
  /** Oldest first. */
  readonly ids: () => readonly string[]
  readonly bytes: () => number
  readonly forget: () => void
}

export function openStore(folder: string): Store {
  const manifests = openManifests(folder)
  const { load, ids, chainOf, pathOf } = manifests

  function stored(hash: string): ReturnType<Store["stored"]> {
    const place = manifests.placeOf(hash)
    if (!place) return failed({ kind: "missing", id: hash })
    try {
      return ok({ bytes: readStored(pathOf(place.id), place.slot), slot: place.slot })
    } catch (error) {
      return failed(
        codeOf(error) === "ENOENT" ? { kind: "missing", id: hash } : { kind: "damaged", path: pathOf(place.id) },
      )
    }
  }

  return {
    folder,
    load,
    ids,
    stored,
    depthOf(id) {
      const chain = chainOf(id)
      return chain.ok ? chain.value.length : 0
    },
    treeAt(id) {
      const chain = chainOf(id)
      if (!chain.ok) return chain
      const states = new Map<string, PathState>()
      for (const manifest of chain.value.toReversed()) apply(states, manifest)
      const [own] = chain.value
      return ok({ complete: own?.complete ?? false, roots: own?.roots ?? [], states })
    },
    newest(roots) {
      for (const id of ids().toReversed()) {
        const manifest = load(id)
        if (!manifest.ok || !manifest.value.complete) continue
        // Two folders may share the name of the store (`a-b` and `a/b`).
        return isSameList(roots, manifest.value.roots) && chainOf(id).ok ? manifest.value : undefined
      }
      return undefined
    },
    has: manifests.isKnown,
    content(hash) {
      const found = stored(hash)
      if (!found.ok) return found
      try {
        const bytes = unpacked(found.value.bytes, found.value.slot)
        return hashOf(bytes) === hash ? ok(bytes) : failed({ kind: "damaged", path: hash })
      } catch {
        return failed({ kind: "damaged", path: hash })
      }
    },
    ownFiles: openOwnFiles(join(folder, "files")),
    writer: (id) => openPackWriter(folder, id),
    async finish(writer, manifest) {
      try {
        const { slots } = await writer.finish(encodeManifest(manifest))
        return ok(manifests.keep({ ...manifest, objects: slots }))
      } catch (error) {
        writer.drop()
        return failed(failureOf(error, folder))
      }
    },
    bytes: () => filesIn(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0),
    forget: manifests.forget,
  }
}

function apply(states: Map<string, PathState>, { all, changed, complete, roots, base }: Manifest): void {
  if (all || base === null) states.clear()
  for (const [path, state] of all ?? changed) states.set(path, state)
  dropAbsent(states, { complete, roots })
}

export const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("base64url")

/** Sorting by name sorts by time. */
export const snapshotId = (at: number, uuid: string): string =>
  `${at.toString(36).padStart(9, "0")}-${uuid.replaceAll("-", "").slice(0, 12)}`

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

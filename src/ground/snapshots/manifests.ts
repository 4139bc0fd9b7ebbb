/** The snapshots in the files of a store, read on demand and cached. */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { decodeManifest, type Manifest } from "./manifest.ts"
import { packSuffix, readManifest, type Slot } from "./pack.ts"
import { codeOf } from "#lib/error-code.ts"

export interface ContentPlace {
  readonly id: string
  readonly slot: Slot
}

export interface Manifests {
  readonly pathOf: (id: string) => string
  readonly keep: (manifest: Manifest) => Manifest
  readonly load: (id: string) => Result<Manifest, SnapshotFailure>
  /** From the snapshot back to a full one. */
  readonly chainOf: (id: string) => Result<readonly Manifest[], SnapshotFailure>
  /** Reads all snapshots if the content is not known yet. */
  readonly placeOf: (hash: string) => ContentPlace | undefined
  readonly isKnown: (hash: string) => boolean
  /** Oldest first. */
  readonly ids: () => string[]
  readonly forget: () => void
}

/** More than are needed to know all of one; older ones are read again when somebody looks back. */
const mostInMemory = 500

export function openManifests(folder: string): Manifests {
  const manifests = new Map<string, Manifest>()
  const places = new Map<string, ContentPlace>()
  let isAllRead = false

  const pathOf = (id: string): string => join(folder, id + packSuffix)

  function keep(manifest: Manifest): Manifest {
    manifests.set(manifest.id, manifest)
    const [oldest] = manifests.keys()
    if (manifests.size > mostInMemory && oldest !== undefined) manifests.delete(oldest)
    for (const [hash, slot] of manifest.objects) places.set(hash, { id: manifest.id, slot })
    return manifest
  }

  function load(id: string): Result<Manifest, SnapshotFailure> {
    const known = manifests.get(id)
    if (known) return ok(known)
    if (!isSnapshotId(id)) return failed({ kind: "missing", id })
    try {
      const manifest = decodeManifest(readManifest(pathOf(id)).manifest)
      return manifest && manifest.id === id ? ok(keep(manifest)) : failed({ kind: "damaged", path: pathOf(id) })
    } catch (error) {
      if (codeOf(error) === "ENOENT") return failed({ kind: "missing", id })
      return failed(codeOf(error) === "" ? { kind: "damaged", path: pathOf(id) } : failureOf(error, pathOf(id)))
    }
  }

  const ids = (): string[] =>
    filesIn(folder)
      .filter((name) => name.endsWith(packSuffix))
      .map((name) => name.slice(0, -packSuffix.length))
      .filter(isSnapshotId)
      .sort()

  return {
    pathOf,
    keep,
    load,
    ids,
    chainOf(id) {
      const chain: Manifest[] = []
      const seen = new Set<string>()
      for (let at: string | null = id; at !== null;) {
        const manifest = load(at)
        if (!manifest.ok) return manifest
        if (seen.has(at)) return failed({ kind: "damaged", path: pathOf(at) })
        seen.add(at)
        chain.push(manifest.value)
        at = manifest.value.all ? null : manifest.value.base
      }
      return ok(chain)
    },
    placeOf(hash) {
      const known = places.get(hash)
      if (known || isAllRead) return known
      for (const id of ids()) load(id)
      isAllRead = true
      return places.get(hash)
    },
    isKnown: (hash) => places.has(hash),
    forget() {
      manifests.clear()
      places.clear()
      isAllRead = false
    },
  }
}

const isSnapshotId = (text: string): boolean => /^[0-9a-z]{9}-[0-9a-f]{12}$/.test(text)

export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The files of the store: finds snapshots and contents in them, and adds to them. A file, once there, is only ever replaced whole. */

import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { codeOf, failureOf, type SnapshotFailure } from "./failure.ts"
import { decodeManifest, encodeManifest, type Manifest } from "./manifest.ts"
import { openPackWriter, packSuffix, type PackWriter, readManifest, readStored, type Slot, unpacked } from "./pack.ts"
import type { PathState } from "./state.ts"

/** Everything that was known at a moment. */
export interface Tree {
  /** Whether what is not named was not there; otherwise nothing is known of it. */
  readonly complete: boolean
  readonly states: ReadonlyMap<string, PathState>
}

export interface Store {
  readonly folder: string
  readonly load: (id: string) => Result<Manifest, SnapshotFailure>
  readonly treeAt: (id: string) => Result<Tree, SnapshotFailure>
  /** How many snapshots must be read to know all of one. */
  readonly depthOf: (id: string) => number
  /** The newest snapshot of all that is below these roots. */
  readonly newest: (roots: readonly string[]) => Manifest | undefined
  readonly has: (hash: string) => boolean
  readonly content: (hash: string) => Result<Uint8Array, SnapshotFailure>
  /** A content as it is stored, for copying. */
  readonly stored: (hash: string) => Result<{ readonly bytes: Uint8Array; readonly slot: Slot }, SnapshotFailure>
  readonly writer: (id: string) => PackWriter
  readonly finish: (
    writer: PackWriter,
    manifest: Omit<Manifest, "objects">,
  ) => Promise<Result<Manifest, SnapshotFailure>>
  /** All snapshots, oldest first. */
  readonly ids: () => readonly string[]
  readonly bytes: () => number
  /** What was read before may not be true any more. */
  readonly forget: () => void
}

export function openStore(folder: string): Store {
  const manifests = new Map<string, Manifest>()
  const places = new Map<string, { readonly id: string; readonly slot: Slot }>()
  let isAllRead = false

  const pathOf = (id: string): string => join(folder, id + packSuffix)

  function keep(manifest: Manifest): Manifest {
    manifests.set(manifest.id, manifest)
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

  /** From the snapshot back to one that tells everything. */
  function chainOf(id: string): Result<readonly Manifest[], SnapshotFailure> {
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
  }

  function findPlace(hash: string): { readonly id: string; readonly slot: Slot } | undefined {
    const known = places.get(hash)
    if (known || isAllRead) return known
    for (const id of ids()) load(id)
    isAllRead = true
    return places.get(hash)
  }

  function stored(hash: string): ReturnType<Store["stored"]> {
    const place = findPlace(hash)
    if (!place) return failed({ kind: "missing", id: hash })
    try {
      return ok({ bytes: readStored(pathOf(place.id), place.slot), slot: place.slot })
    } catch (error) {
      return failed(
        codeOf(error) === "ENOENT" ? { kind: "missing", id: hash } : { kind: "damaged", path: pathOf(place.id) },
      )
    }
  }

  const ids = (): string[] =>
    filesIn(folder)
      .filter((name) => name.endsWith(packSuffix))
      .map((name) => name.slice(0, -packSuffix.length))
      .filter(isSnapshotId)
      .sort()

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
      return ok({ complete: chain.value[0]?.complete ?? false, states })
    },
    newest(roots) {
      for (const id of ids().toReversed()) {
        const manifest = load(id)
        if (!manifest.ok || !manifest.value.complete) continue
        // Two folders may share the name of the store (`a-b` and `a/b`).
        const same =
          roots.length === manifest.value.roots.length && roots.every((root, i) => manifest.value.roots[i] === root)
        return same && chainOf(id).ok ? manifest.value : undefined
      }
      return undefined
    },
    has: (hash) => places.has(hash),
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
    writer: (id) => openPackWriter(folder, id),
    async finish(writer, manifest) {
      try {
        const { slots } = await writer.finish(encodeManifest(manifest))
        return ok(keep({ ...manifest, objects: slots }))
      } catch (error) {
        writer.drop()
        return failed(failureOf(error, folder))
      }
    },
    bytes: () => filesIn(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0),
    forget() {
      manifests.clear()
      places.clear()
      isAllRead = false
    },
  }
}

/** Changes what was known into what is known after a snapshot. */
function apply(states: Map<string, PathState>, { all, changed, complete, base }: Manifest): void {
  if (all || base === null) states.clear()
  for (const [path, state] of all ?? changed) states.set(path, state)
  if (complete) for (const [path, state] of states) if (state.kind === "absent") states.delete(path)
}

export const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("base64url")

/** Sorted by name, snapshots are sorted by time. */
export const snapshotId = (at: number, uuid: string): string =>
  `${at.toString(36).padStart(9, "0")}-${uuid.replaceAll("-", "").slice(0, 12)}`

const isSnapshotId = (text: string): boolean => /^[0-9a-z]{9}-[0-9a-f]{12}$/.test(text)

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Clean-up: of unreferenced snapshots, only the contents that others need stay. Files are replaced whole, and needed
 * contents are copied before they are removed, so that a clean-up can be interrupted at any moment.
 */

import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Manifest } from "./manifest.ts"
import { packSuffix, temporarySuffix } from "./pack.ts"
import { hasReadContent, isNamed } from "./state.ts"
import type { Store } from "./store.ts"

/** Keeps the wanted ones, given oldest first, or as many of the newest of them as fit. */
export async function cleanWithin(store: Store, wanted: readonly string[], bytes: number): Promise<void> {
  for (let keep = wanted; ; keep = keep.slice(Math.ceil(keep.length / 2))) {
    await cleanStore(store, new Set(keep))
    if (keep.length <= 1 || store.bytes() <= bytes) return
  }
}

/** Copies what a kept snapshot now has to store itself, and removes the rest. */
async function cleanStore(store: Store, keep: ReadonlySet<string>): Promise<void> {
  for (const name of readdirSync(store.folder))
    if (name.endsWith(temporarySuffix)) rmSync(join(store.folder, name), { force: true })
  const kept = store.ids().filter((id) => keep.has(id))
  const named = new Set<string>()
  const trees = new Map(kept.map((id) => [id, store.treeAt(id)]))
  for (const tree of trees.values()) {
    // A kept snapshot that cannot be read needs unknown contents: then nothing is removed.
    if (!tree.ok) return
    for (const state of tree.value.states.values())
      if (state.kind === "file" && isNamed(state.hash)) named.add(state.hash)
  }
  const claimedHashes = new Set<string>()
  for (const id of kept) {
    const manifest = store.load(id)
    const tree = trees.get(id)
    if (!manifest.ok || !tree?.ok) return
    const own = new Set(
      tree.value.states
        .values()
        .flatMap((state) =>
          state.kind === "file" && hasReadContent(state) && !claimedHashes.has(state.hash) ? [state.hash] : [],
        ),
    )
    const isRooted = manifest.value.base === null || manifest.value.all !== undefined || keep.has(manifest.value.base)
    const isRight =
      isRooted && own.size === manifest.value.objects.size && own.isSubsetOf(new Set(manifest.value.objects.keys()))
    if (!isRight && !(await rewrite(store, manifest.value, own, isRooted ? undefined : tree.value.states))) return
    for (const hash of own) claimedHashes.add(hash)
  }
  for (const id of store.ids()) if (!keep.has(id)) rmSync(join(store.folder, id + packSuffix), { force: true })
  store.ownFiles.keepOnly(named)
  store.forget()
}

async function rewrite(
  store: Store,
  { objects: _old, ...manifest }: Manifest,
  own: ReadonlySet<string>,
  all: Manifest["all"],
): Promise<boolean> {
  const writer = store.writer(manifest.id)
  try {
    for (const hash of own) {
      const stored = store.stored(hash)
      if (!stored.ok) throw new Error(hash)
      writer.addStored(hash, stored.value.bytes, stored.value.slot.packed)
    }
  } catch {
    writer.drop()
    return false
  }
  return (await store.finish(writer, { ...manifest, ...(all && { all }) })).ok
}

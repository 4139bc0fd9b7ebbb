/** When git takes a folder for a repository, whatever its name: by the names in it. */

/**
 * A HEAD with objects and refs, or with a file that says where those are. Case is ignored, as some disks do.
 */
export function hasRepositoryShape(names: Iterable<string>): boolean {
  const parts = partsIn(names)
  return parts.has("head") && (parts.has("commondir") || (parts.has("objects") && parts.has("refs")))
}

/** Whether a folder is on the way to being a repository, so that settings put there would soon be used. */
export function isNearlyRepository(names: Iterable<string>): boolean {
  const parts = partsIn(names)
  const { size } = parts.intersection(store)
  return hasRepositoryShape(parts) || size >= 2
}

const store: ReadonlySet<string> = new Set(["head", "objects", "refs"])
const all: ReadonlySet<string> = new Set([...store, "commondir"])

function partsIn(names: Iterable<string>): Set<string> {
  const parts = new Set<string>()
  for (const name of names) {
    // Most names are none of these.
    if (name.length >= 4 && name.length <= 9 && all.has(name.toLowerCase())) parts.add(name.toLowerCase())
  }
  return parts
}

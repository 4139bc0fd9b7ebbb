/** Parses model ids: which release an id names, and what its suffix asks for. */

const bigWindowSuffix = "[1m]"

/** An id without the suffix for the million-token window, and whether it had one. */
export function splitWindow(id: string): { readonly id: string; readonly big: boolean } {
  return id.toLowerCase().endsWith(bigWindowSuffix)
    ? { id: id.slice(0, -bigWindowSuffix.length).trim(), big: true }
    : { id, big: false }
}

export const withBigWindow = (id: string): string => (splitWindow(id).big ? id : id + bigWindowSuffix)

/**
 * Whether an id names a release: the release itself, one of its dated snapshots, or either with a cloud's prefix or
 * suffix. `claude-opus-4` is not `claude-opus-4-8`: a newer release may differ in everything, starting with its
 * price.
 */
export function isRelease(id: string, release: string): boolean {
  const at = id.toLowerCase().indexOf(release)
  if (at < 0) return false
  return !/^(?:\d|[.-]\d{1,2}(?!\d))/.test(id.slice(at + release.length))
}

/** Whether a name asks for the simulator: `sim`, or `sim/` and what it should play. */
export const isSimulated = (name: string): boolean => /^sim(?:\/|$)/i.test(splitWindow(name).id)

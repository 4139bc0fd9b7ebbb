/**
 * Binds a call to the place it was judged by: the path is resolved when the footprint is declared, and the call then
 * touches that place or nothing, even if the working folder or a link changed in between.
 */

import { failed, ok, type Result } from "#lib/result.ts"
import type { FileFailure } from "./failure.ts"
import { type Paths, realPath } from "./paths.ts"

/** The absolute path as asked for, and where it really is. */
export interface Place {
  readonly path: string
  readonly real: string
}

export interface Places {
  /** Remembers, for this input, where the path leads now; returns the absolute path for the footprint. */
  readonly declare: (input: object, path: string) => string
  /** Where an absolute path of this input led when it was declared. Whoever judges the call judges that place. */
  readonly declared: (input: unknown, absolute: string) => string | undefined
  /** The place declared for this input; fails when the path now leads elsewhere. */
  readonly of: (input: object, path: string) => Result<Place, FileFailure>
  /**
   * The same for a file that is opened next: `Files` refuses one that is not at its real path, which shows that there
   * is no link on the way. So only a path with links is followed again.
   */
  readonly toOpen: (input: object, path: string) => Result<Place, FileFailure>
}

export function openPlaces(paths: Paths): Places {
  /** By input, and by path as it was written. */
  const known = new WeakMap<object, Map<string, Place>>()

  function placesOf(input: object): Map<string, Place> {
    const places = known.get(input) ?? new Map<string, Place>()
    known.set(input, places)
    return places
  }

  function declared(input: unknown, absolute: string): string | undefined {
    const places = typeof input === "object" && input !== null ? known.get(input) : undefined
    for (const { path, real } of places?.values() ?? []) if (path === absolute) return real
    return undefined
  }

  function placeOf(input: object, path: string): Result<Place, FileFailure> {
    const places = known.get(input)
    const place = places?.get(path)
    if (place) return ok(place)
    const absolute = paths.resolve(path)
    if (!absolute.ok) return absolute
    // A call that has declared something touches nothing else.
    if (places) return failed({ kind: "moved", path: absolute.value })
    return ok({ path: absolute.value, real: realPath(absolute.value) })
  }

  const unmoved = (place: Place): Result<Place, FileFailure> =>
    realPath(place.path) === place.real ? ok(place) : failed({ kind: "moved", path: place.path })

  return {
    declare(input, path) {
      const absolute = paths.resolve(path)
      // A path that cannot be used is refused before it is opened; the footprint only has to name it.
      if (!absolute.ok) return path
      // Followed once, however often it is named: all that judge or touch it must mean the same place.
      const real = declared(input, absolute.value) ?? realPath(absolute.value)
      placesOf(input).set(path, { path: absolute.value, real })
      return absolute.value
    },
    declared,
    of(input, path) {
      const place = placeOf(input, path)
      return place.ok ? unmoved(place.value) : place
    },
    toOpen(input, path) {
      const place = placeOf(input, path)
      return !place.ok || place.value.path === place.value.real ? place : unmoved(place.value)
    },
  }
}

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
  /** The place declared for this input; fails when the path now leads elsewhere. */
  readonly of: (input: object, path: string) => Result<Place, FileFailure>
}

export function openPlaces(paths: Paths): Places {
  const declared = new WeakMap<object, Place>()

  function placeOf(path: string): Result<Place, FileFailure> {
    const absolute = paths.resolve(path)
    return absolute.ok ? ok({ path: absolute.value, real: realPath(absolute.value) }) : absolute
  }

  return {
    declare(input, path) {
      const place = placeOf(path)
      // A path that cannot be used is refused before it is opened; the footprint only has to name it.
      if (!place.ok) return path
      declared.set(input, place.value)
      return place.value.path
    },
    of(input, path) {
      const place = declared.get(input)
      if (place === undefined) return placeOf(path)
      return realPath(place.path) === place.real ? ok(place) : failed({ kind: "moved", path: place.path })
    },
  }
}

/** A path as the model wrote it, shortened for a title. */

import type { Paths } from "#ground/workspace/paths.ts"

export function shownPath(paths: Paths, path: string): string {
  const absolute = paths.resolve(path)
  return absolute.ok ? paths.title(absolute.value) : path
}

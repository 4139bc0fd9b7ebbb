/** Compares paths by their components: `/a/bc` is not in `/a/b`. */

export const isBelow = (path: string, folder: string): boolean =>
  path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`)

export const liesIn = (path: string, folder: string): boolean => path === folder || isBelow(path, folder)

export const liesInOne = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => liesIn(path, folder))

/** A path for display: `~` for the home folder. */
export function shownPath(path: string, home: string): string {
  if (path === home) return "~"
  return isBelow(path, home) ? `~${path.slice(home.length)}` : path
}

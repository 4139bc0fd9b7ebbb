/** Compares paths by their components: `/a/bc` is not in `/a/b`. */

export const isBelow = (path: string, folder: string): boolean =>
  path !== folder && path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

export const liesIn = (path: string, folder: string): boolean => path === folder || isBelow(path, folder)

export const liesInOne = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => liesIn(path, folder))

/** Paths in all their forms: as given and as they really are, compared name by name. */

import { posix } from "node:path"

/** Gives the real path, with links resolved as far as it exists, a dangling last link too, and the rest appended. Never throws. */
export type RealPath = (path: string) => string

/** Every form of an absolute path that has to be judged: tidied, and real. */
export type Forms = (path: string) => readonly string[]

/** A folder that is a copy of another one. */
export interface Copy {
  readonly at: string
  readonly of: string
}

/** Where a session works, and what the user wants kept safe there. */
export interface Workspace {
  /** The working folder the session was opened in. */
  readonly root: string
  /** Further folders that count as inside. */
  readonly added: readonly string[]
  readonly home: string
  /** Files and folders that are protected besides the known ones: the state folder, the managed policy. */
  readonly protectedPaths: readonly string[]
  /** Files and folders of the session itself, free to use in every mode: its plan file, its kept results. */
  readonly own: readonly string[]
  /** The session's plan file, if it has one: the only file that can be written in plan mode. */
  readonly planFile?: string
  /** Whose it is, where that is an agent that another one started; `reader` only reads, whatever the mode. */
  readonly agent?: "reader" | "worker"
  /** The root was made for this very work: where it lies says nothing about what lies in it. */
  readonly apart?: Copy
  /** Whether the file system takes `A` and `a` for the same. */
  readonly ignoresCase?: boolean
}

/** Looks up forms, each path once: made again for every decision, since links may change between two. */
export function formsWith(realPath: RealPath): Forms {
  const known = new Map<string, readonly string[]>()
  return (path) => {
    const before = known.get(path)
    if (before) return before
    const tidy = tidied(path)
    const real = tidied(realPath(path))
    const forms = tidy === path ? [tidy, real] : [tidy, real, tidied(realPath(tidy))]
    const distinct = [...new Set(forms)]
    known.set(path, distinct)
    return distinct
  }
}

/** The names of a path below a folder; none for the folder itself; undefined when it lies elsewhere. */
export function namesBelow(folder: string, path: string): readonly string[] | undefined {
  if (path === folder) return []
  const inside = folder.endsWith("/") ? folder : `${folder}/`
  return path.startsWith(inside) ? namesOf(path.slice(inside.length)) : undefined
}

/** Whether every form of a path lies in one of the folders, in any of their forms. */
export function isInside(path: string, folders: readonly string[], forms: Forms): boolean {
  const all = folders.flatMap(forms)
  return forms(path).every((form) => all.some((folder) => namesBelow(folder, form) !== undefined))
}

/** The same paths, and where what lies in a copy comes from: what may not be seen there may not be seen here. */
export function withOriginals(all: readonly string[], copy: Copy | undefined, forms: Forms): readonly string[] {
  if (copy === undefined) return all
  const originals = all.flatMap((form) =>
    forms(copy.at).flatMap((folder) => {
      const names = namesBelow(folder, form)
      return names === undefined ? [] : [posix.join(copy.of, ...names)]
    }),
  )
  return [...new Set([...all, ...originals])]
}

/** A path as a program in a folder would take it. */
export const resolvedFrom = (folder: string, path: string): string =>
  path.startsWith("/") ? path : `${folder === "/" ? "" : folder}/${path}`

export const namesOf = (path: string): readonly string[] => path.split("/").filter((name) => name !== "")

/** Without dots, doubled slashes and a slash at the end, so that a folder is a prefix of what is in it only at a slash. */
function tidied(path: string): string {
  const tidy = posix.normalize(path)
  return tidy.length > 1 && tidy.endsWith("/") ? tidy.slice(0, -1) : tidy
}

/** Paths in all their forms: as given and resolved, compared name by name. */

import { posix } from "node:path"
import { liesIn } from "#lib/lies-in.ts"

/** Resolves links as far as the path exists, including a dangling last link, and appends the rest. Never throws. */
export type RealPath = (path: string) => string

/** Every form of an absolute path that has to be judged: normalised, and real. */
export type Forms = (path: string) => readonly string[]

export interface Copy {
  readonly at: string
  readonly of: string
}

export interface ClosedPath {
  readonly path: string
  /** As in "it holds ...". */
  readonly holds: string
  /** What is open in it. */
  readonly except: readonly string[]
  /** Commands are not judged by it: the sandbox keeps it from them. */
  readonly heldBySandbox?: true
}

export interface Workspace {
  /** The session's original working folder. */
  readonly root: string
  readonly added: readonly string[]
  readonly home: string
  /** Protected besides the known ones: the state folder, the managed policy. */
  readonly protectedPaths: readonly string[]
  /** Closed to every tool, whatever the mode and rules: our own secrets, the mail and tasks of teams. */
  readonly closed?: readonly ClosedPath[]
  /** Rules out cheaply that one of these forms of paths is closed; without it, all are compared. */
  readonly mayBeClosed?: (forms: readonly string[]) => boolean
  /** Files and folders of the session itself, usable in every mode: its plan file, its stored results. */
  readonly own: readonly string[]
  /** The only file that can be written in plan mode. */
  readonly planFile?: string
  /** Set if an agent that another one started works here; `reader` is read-only, whatever the mode. */
  readonly agent?: "reader" | "worker"
  /** The root was created for this work: its location says nothing about its content. */
  readonly apart?: Copy
  readonly ignoresCase?: boolean
  /** Whoever answers may not act as the owner of the machine: tools that change files stay in the workspace, as its commands do. */
  readonly confined?: true
}

/** Computes forms, each path once: recreated for every decision, since links may change in between. */
export function formsWith(realPath: RealPath): Forms {
  const known = new Map<string, readonly string[]>()
  return (path) => {
    const before = known.get(path)
    if (before) return before
    const forms = formsOf(path, realPath)
    known.set(path, forms)
    return forms
  }
}

function formsOf(path: string, realPath: RealPath): readonly string[] {
  const tidy = tidied(path)
  const real = realPath(path)
  if (tidy === path && real === path) return [path]
  const forms = [tidy, tidied(real)]
  return [...new Set(tidy === path ? forms : [...forms, tidied(realPath(tidy))])]
}

/** The names of a path below a folder; empty for the folder itself; undefined if it is elsewhere. */
export function namesBelow(folder: string, path: string): readonly string[] | undefined {
  if (path === folder) return []
  const inside = folder.endsWith("/") ? folder : `${folder}/`
  return path.startsWith(inside) ? namesOf(path.slice(inside.length)) : undefined
}

/** Whether every form of a path is in one of the folders, in any of their forms. */
export function isInside(path: string, folders: readonly string[], forms: Forms): boolean {
  // A path is inside itself, wherever it leads.
  if (folders.includes(path)) return true
  // Mostly it is in one as that is written, and then no folder has to be followed.
  return forms(path).every(
    (form) =>
      folders.some((folder) => liesIn(form, tidied(folder))) ||
      folders.some((folder) => forms(folder).some((at) => liesIn(form, at))),
  )
}

/** Adds the originals of paths in a copy: what is hidden there is hidden here, too. */
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

/** A path as a program in a folder would resolve it. */
export const resolvedFrom = (folder: string, path: string): string =>
  path.startsWith("/") ? path : `${folder === "/" ? "" : folder}/${path}`

export const namesOf = (path: string): readonly string[] => path.split("/").filter((name) => name !== "")

/** Without dots, double slashes and a trailing slash, so that a folder is a prefix of its content only at a slash. */
function tidied(path: string): string {
  const tidy = posix.normalize(path)
  return tidy.length > 1 && tidy.endsWith("/") ? tidy.slice(0, -1) : tidy
}

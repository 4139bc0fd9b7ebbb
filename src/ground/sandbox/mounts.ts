/** A policy as mounts: what is where inside, in mount order. */

import { basename, dirname, join } from "node:path"
import { isBelow, liesIn, liesInOne } from "#lib/lies-in.ts"
import type { Policy, ShownLine } from "./policy.ts"
import type { Confinable, Wanted } from "./port.ts"

export type Mount =
  | { readonly kind: "writable" | "readable"; readonly path: string; readonly from: string }
  /** An empty folder instead of a hidden one, in which other mounts can be placed. */
  | { readonly kind: "empty"; readonly path: string }
  /** Nothing in it can be read. */
  | { readonly kind: "sealed"; readonly path: string; readonly what: PathKind }

export type PathKind = "folder" | "file"

/** A file that is seen at another path, in place of the one that is hidden there. */
export interface MountedCopy {
  readonly path: string
  readonly from: string
}

/** Our own files that a program must be able to use. */
export type MountNeeds = Wanted<Confinable>["needed"] & { readonly copies?: readonly MountedCopy[] }

export interface MountFacts {
  /** Does not follow a link in the last component; undefined if nothing is there. */
  readonly kindOf: (path: string) => PathKind | undefined
  /** A folder with links resolved: nothing can be mounted on a path that leads through one. */
  readonly realFolder: (folder: string) => string
}

/** Programs look for system files there and cope if there are none, but not if they may not look. */
const runtimeFolder = "/run"

/** Where private temporary files are inside when the policy says so. */
const temporaryPlaces: readonly string[] = ["/tmp", "/var/tmp"]

export function mountsOf(policy: Policy, needed: MountNeeds, { kindOf, realFolder }: MountFacts): readonly Mount[] {
  const temp = realFolder(policy.temp.folder)
  const temporary = policy.temp.asTmp ? temporaryPlaces.map(realFolder) : []
  const real = (path: string): string => join(realFolder(dirname(path)), basename(path))
  const exists = (path: string): boolean => kindOf(path) !== undefined
  const writable = [...policy.writes.map(({ path }) => path), temp].filter(exists)
  const hidden = policy.hidden.map(({ path }) => path).filter(exists)
  // A held path must not become visible again where it is hidden.
  const isOpen = (path: string): boolean => nearest(path, writable) > nearest(path, hidden)
  const readOnlyPaths = policy.held.map(({ path }) => path).filter((path) => exists(path) && isOpen(path))
  // A socket that can be reached may lie in /tmp, where another folder lies over it.
  const sockets = policy.network.mode === "domains" ? policy.network.unixSockets : []
  const shownLines = [...(policy.shown ?? []), ...sockets.filter(({ path }) => liesInOne(path, temporary))]
    .map(({ path, from = path }: ShownLine) => ({ path, from }))
    .filter(({ from }) => exists(from))
  const shown = shownLines.map(({ path }) => path)
  // If nothing covers it and it is not writable, it is already there.
  const isElsewhere = (path: string): boolean => liesInOne(path, [...hidden, ...writable, ...temporary])
  const ours = {
    reads: needed.reads.map(real).filter((path) => isElsewhere(path) && exists(path)),
    writes: needed.writes.map(real).filter(exists),
  }
  const isShown = (path: string): boolean => !writable.includes(path)
  const copies = (needed.copies ?? []).filter(({ path }) => liesInOne(path, hidden))
  const inside = [
    ...writable,
    ...readOnlyPaths,
    ...shown,
    ...ours.reads,
    ...ours.writes,
    ...copies.map(({ path }) => path),
  ]
  const written = writable.filter((path) => !hidden.includes(path))
  const seen = [...written, ...shown.filter(isShown), ...ours.reads, ...ours.writes]
  const mounts: readonly Mount[] = [
    ...temporary.map((path): Mount => ({ kind: "writable", path, from: temp })),
    ...written.map((path): Mount => ({ kind: "writable", path, from: path })),
    ...unmovable(readOnlyPaths, writable)
      .filter((path) => isOpen(path) && nearest(path, writable) > nearest(path, readOnlyPaths))
      .map((path): Mount => ({ kind: "writable", path, from: path })),
    ...readOnlyPaths.map((path): Mount => ({ kind: "readable", path, from: path })),
    ...hidden
      // In a folder that is hidden there is nothing more to hide, except in what can be seen in it.
      .filter((path) => nearest(path, seen) >= nearest(dirname(path), hidden))
      .map((path): Mount => hide(path, kindOf(path) ?? "file", inside)),
    ...shownLines
      .filter(({ path }) => isShown(path))
      .map(({ path, from }): Mount => ({ kind: "readable", path, from })),
    ...(policy.replaced ?? []).map(({ path, from }): Mount => ({ kind: "writable", path, from })),
    ...ours.reads.map((path): Mount => ({ kind: "readable", path, from: path })),
    ...ours.writes.map((path): Mount => ({ kind: "writable", path, from: path })),
  ]
  return inOrder(
    mounts,
    copies.map(({ path, from }): Mount => ({ kind: "readable", path, from })),
  )
}

export function writablePlaces(mounts: readonly Mount[]): readonly string[] {
  const paths = mounts.flatMap(({ kind, path }) => (kind === "writable" ? [path] : []))
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)))
}

/** A hidden folder with something visible inside is replaced by an empty one. */
function hide(path: string, what: PathKind, inside: readonly string[]): Mount {
  const isEntered = path === runtimeFolder || inside.some((other) => isBelow(other, path))
  return what === "folder" && isEntered ? { kind: "empty", path } : { kind: "sealed", path, what }
}

/**
 * Folders between a writable path and a held one inside it. A mount point cannot be renamed; otherwise the folder
 * could be moved away together with what is held, and another put in its place.
 */
function unmovable(readOnlyPaths: readonly string[], writable: readonly string[]): readonly string[] {
  const between = readOnlyPaths.flatMap((path) => {
    const ancestors = ancestorsOf(path)
    return ancestors.filter((folder) => !writable.includes(folder) && liesInOne(folder, writable))
  })
  return [...new Set(between)]
}

/**
 * Outer paths come first. At the same path the stricter mount is on top, and our own above all. Copies lie on what
 * hides the original, so that nothing is seen if a copy is gone.
 */
function inOrder(mounts: readonly Mount[], copies: readonly Mount[]): readonly Mount[] {
  const last = new Map(mounts.map((mount) => [mount.path, mount]))
  const placed = [...last.values(), ...copies].map((mount) => ({ mount, depth: depth(mount.path) }))
  return placed.sort((a, b) => a.depth - b.depth).map(({ mount }) => mount)
}

const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length - 1)

/** The length of the deepest folder that contains the path or is the path; -1 when none does. */
const nearest = (path: string, folders: readonly string[]): number =>
  Math.max(-1, ...folders.filter((folder) => liesIn(path, folder)).map((folder) => folder.length))

function ancestorsOf(path: string): readonly string[] {
  const parts = path.split("/").slice(1, -1)
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join("/")}`)
}

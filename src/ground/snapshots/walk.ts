/** Scans everything below the roots without opening a file: what exists, in which state, and what is left out. */

import { constants, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { codeOf, isMissing } from "#lib/error-code.ts"
import { type Exclusions, excludedWhy, uncoveredAs, type UncoveredPath } from "./exclusions.ts"
import { type SnapshotLimits, toolFolders } from "./limits.ts"
import { pause } from "./pause.ts"
import { permissions, type Stamp, stampOf } from "./state.ts"

/** What is at a path, as far as metadata shows. */
export type FoundPath =
  | { readonly kind: "file"; readonly mode: number; readonly stamp: Stamp }
  | { readonly kind: "link"; readonly target: string; readonly stamp: Stamp }
  | { readonly kind: "folder"; readonly mode: number }
  | UncoveredPath

export interface Walk {
  readonly found: Map<string, FoundPath>
  /** Folders that could not be read: nothing is known about what is below them. */
  readonly unread: readonly string[]
  /** `whole`, or why only a part was seen. */
  readonly end: "whole" | "too_many" | "aborted"
  /** The root at which it ended early. */
  readonly at?: string
}

export interface WalkOptions {
  readonly roots: readonly string[]
  /** Folders outside the project, such as our own. */
  readonly excluded: ReadonlySet<string>
  /** Folders that a setting excludes from undo. */
  readonly exclusions: Exclusions
  /** Folders that turned out too large, and why: they are not entered again. Grows. */
  readonly skipped: Map<string, string>
  /** Whether to enter a folder below the roots for the first time; always when absent. */
  readonly mayEnter?: (folder: string) => boolean
  readonly limits: SnapshotLimits
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Yields to the event loop after so many lookups. */
const looksAtOnce = 400

export async function walk(options: WalkOptions): Promise<Walk> {
  const { roots, excluded, exclusions, skipped, limits, clock, signal } = options
  const found = new Map<string, FoundPath>()
  const unread: string[] = []
  const ignored = new Set(roots.flatMap(ignoredNames))
  let looks = 0
  let end: Walk["end"] = "whole"

  /** One folder and what is below it; false when it has more than `most` paths. */
  async function enter(folder: string, into: Map<string, FoundPath>, most: number): Promise<boolean> {
    // Before the files are looked at: what changed since then does not count as settled.
    const nowMs = clock.now()
    const names = namesIn(folder)
    if (names === undefined) unread.push(folder)
    for (const name of names ?? []) {
      if (end !== "whole") return true
      const path = folder === "/" ? `/${name}` : `${folder}/${name}`
      if (name === ".git" || excluded.has(path) || isOwnTemporary(name)) continue
      if (++looks % looksAtOnce === 0) await rest()
      const seen = exclusions.holding(path) === undefined ? inspectPath(path, nowMs) : exclusions.foundAt(path)
      if (seen === undefined) continue
      into.set(path, seen)
      if (into.size > most) return false
      if (seen.kind === "folder" && !(await descend(path, name, into, most))) return false
    }
    return true
  }

  async function descend(path: string, name: string, into: Map<string, FoundPath>, most: number): Promise<boolean> {
    const known = skipped.get(path)
    if (known !== undefined) leaveOut(path, known, into)
    else if (exclusions.follow(path)) leaveOut(path, excludedWhy, into)
    else if (options.mayEnter?.(path) === false) leaveOut(path, "it is ignored, and the project is large", into)
    else if (toolFolders.has(name) || ignored.has(name)) {
      const inside = new Map<string, FoundPath>()
      const fits = (await enter(path, inside, limits.toolFiles)) && bytesOf(inside) <= limits.toolBytes
      if (!fits) leaveOut(path, "it is large, and ignored or made by tools", into)
      else for (const [below, seen] of inside) into.set(below, seen)
      return into.size <= most
    } else return enter(path, into, most)
    return true
  }

  function leaveOut(path: string, why: string, into: Map<string, FoundPath>): void {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return
    skipped.set(path, why)
    into.set(path, uncoveredAs(stats, why))
  }

  async function rest(): Promise<void> {
    await pause()
    if (signal.aborted) end = "aborted"
  }

  let at: string | undefined
  for (const root of roots) {
    if (end !== "whole") break
    at = root
    if (exclusions.holding(root) !== undefined) {
      leaveOut(root, excludedWhy, found)
      continue
    }
    if (!(await enter(root, found, limits.paths))) end = "too_many"
  }
  return { found, unread, end: signal.aborted ? "aborted" : end, ...(end !== "whole" && optional("at", at)) }
}

const bytesOf = (found: ReadonlyMap<string, FoundPath>): number =>
  found.values().reduce((sum, seen) => sum + (seen.kind === "file" ? seen.stamp.bytes : 0), 0)

/** Plain names in the project's own ignore file. They only lower what may be covered of a large folder of that name. */
export function ignoredNames(root: string): string[] {
  try {
    const file = `${root}/.gitignore`
    if (!existsSync(file)) return []
    const text = readFileSync(file, "utf8").slice(0, 100_000)
    return text.split(/\r?\n/).flatMap((line) => /^\/?([\w.@-]+)\/?$/.exec(line.trim())?.[1] ?? [])
  } catch {
    return []
  }
}

/** Undefined if nothing is there. */
export function inspectPath(path: string, nowMs: number): FoundPath | undefined {
  const stats = statsOf(path)
  if (stats === undefined) return undefined
  if (stats === "unreadable") return outOfSight
  switch (stats.mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return { kind: "file", mode: permissions(stats.mode), stamp: stampOf(stats, nowMs) }
    case constants.S_IFDIR:
      return { kind: "folder", mode: permissions(stats.mode) }
    case constants.S_IFLNK: {
      const target = targetOf(path)
      return target === undefined ? undefined : { kind: "link", target, stamp: stampOf(stats, nowMs) }
    }
    default:
      return { kind: "uncovered", why: "it is a pipe, a socket or a device", stamp: stampOf(stats, nowMs) }
  }
}

/** For what is in a folder that may not be entered. */
export const outOfSight: UncoveredPath = {
  kind: "uncovered",
  why: "its folder may not be read",
  stamp: { bytes: 0, modifiedMs: 0, changedMs: 0, inode: 0, device: 0, settled: false },
}

function statsOf(path: string): Stats | "unreadable" | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // A part of the path is a file, or a link that was a folder a moment ago: then there is nothing at the path.
    return codeOf(error) === "EACCES" ? "unreadable" : undefined
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
  } catch (error) {
    return isMissing(error) ? [] : undefined
  }
}

/** Leftovers of an interrupted write. */
const isOwnTemporary = (name: string): boolean => name.startsWith(".codewright-") && name.endsWith(".tmp")

/** What exists at held paths that do not exist yet, while something confined runs: a mount needs a mount point. */

import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { isBelow } from "#lib/lies-in.ts"
import { openHolders, type Others, type Placeheld } from "./holders.ts"
import type { ReadOnlyLine } from "./policy.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Placeholders {
  /** Ensures that something exists at each path; the returned function releases it. Throws on a full disk. */
  readonly acquire: (lines: readonly ReadOnlyLine[]) => () => void
  readonly close: () => void
}

export interface PlaceholderOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Where processes record what they need, all in the same folder. */
  readonly registry: string
}

/** They stay for a while: removing one costs more than a command, and the next command needs it again. */
const lingerMs = 1_000

export function openPlaceholders({ clock, ids, registry }: PlaceholderOptions): Placeholders {
  const holders = openHolders({ folder: registry, id: ids.uuid() })
  /** Those that are ours to remove. */
  const standing = new Map<string, Placeheld>()
  const users = new Map<string, number>()
  /** What looks like a placeholder and is not. */
  const real = new Set<string>()
  let cancel: (() => void) | undefined

  const alone = (act: (others: Others) => void): void => {
    let isDone = false
    const acting = (others: Others): readonly Placeheld[] => {
      act(others)
      isDone = true
      return [...standing.values()]
    }
    try {
      holders.alone(acting)
    } catch (error) {
      if (isDone || isFull(error)) throw error
      // Without a place for the lists every session is by itself, as on a disk that can only be read.
      acting({ needed: new Set(), left: [] })
    }
  }

  function put(lines: readonly Placeheld[]): void {
    alone(({ needed, left }) => {
      const ownerless = new Map(left.map((line) => [line.path, line]))
      for (const line of lines) {
        const isOurs = isPut(line) || ((needed.has(line.path) || ownerless.has(line.path)) && isLike(line))
        if (isOurs) standing.set(line.path, line)
        else real.add(line.path)
        ownerless.delete(line.path)
      }
      for (const line of deepestFirst([...ownerless.values()])) takeAway(line)
    })
  }

  function drop(): void {
    cancel?.()
    cancel = undefined
    // A folder was missing for one command, and for the next one something in it is.
    const isUsed = (path: string): boolean => users.has(path) || users.keys().some((used) => isBelow(used, path))
    const unused = [...standing.values()].filter(({ path }) => !isUsed(path))
    if (unused.length === 0) return
    alone(({ needed }) => {
      for (const line of deepestFirst(unused)) {
        standing.delete(line.path)
        if (!needed.has(line.path)) takeAway(line)
      }
    })
  }

  return {
    acquire(lines) {
      const wanted = lines.filter((line): line is ReadOnlyLine & Placeheld => line.placeholder !== undefined)
      const missing = wanted.filter((line) => isMissing(line, standing.has(line.path), real))
      if (missing.length > 0) put(missing.map(({ path, placeholder }) => ({ path, placeholder })))
      const acquired = wanted.filter(({ path }) => standing.has(path))
      for (const { path } of acquired) users.set(path, (users.get(path) ?? 0) + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        for (const { path } of acquired) {
          const count = (users.get(path) ?? 1) - 1
          if (count > 0) users.set(path, count)
          else users.delete(path)
        }
        if (users.size === 0) cancel ??= clock.after(lingerMs, drop)
      }
    },
    close: drop,
  }
}

/** Whether a placeholder is needed, or might have been put there by another process. */
function isMissing(line: Placeheld, isStanding: boolean, real: ReadonlySet<string>): boolean {
  const found = lstatSync(line.path, { throwIfNoEntry: false })
  return found === undefined || (!isStanding && !real.has(line.path) && isLike(line))
}

function isPut({ path, placeholder }: Placeheld): boolean {
  try {
    if (placeholder.kind === "folder") mkdirSync(path)
    else writeFileSync(path, placeholder.text, { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (isFull(error)) throw error
    // The parent does not exist, and then nothing of it can; or something is there already.
    return false
  }
}

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"].includes(codeOf(error))

/** Whether what is there could be a placeholder: an empty folder, or a file with only the placeholder text. */
function isLike({ path, placeholder }: Placeheld): boolean {
  try {
    const found = lstatSync(path)
    return placeholder.kind === "folder"
      ? found.isDirectory() && readdirSync(path).length === 0
      : found.isFile() && found.size < 10 && readFileSync(path, "utf8") === placeholder.text
  } catch {
    return false
  }
}

function takeAway(line: Placeheld): void {
  try {
    // Only an empty folder and an unchanged file are removed.
    if (line.placeholder.kind === "folder") rmdirSync(line.path)
    else if (isLike(line)) unlinkSync(line.path)
  } catch {
    // Someone else made use of it, or removed it.
  }
}

const deepestFirst = (lines: readonly Placeheld[]): readonly Placeheld[] =>
  lines.toSorted((a, b) => b.path.length - a.path.length)

/**
 * What confined commands leave behind that would act outside: repositories whose configuration or hooks run programs, and
 * files that a shell or another agent starts from. It cannot be held while it is being made, so it is found when a
 * command ends, and renamed before anything else runs.
 * See decision 96.
 */

import { dirname } from "node:path"
import { isStartFile } from "#ground/workspace/protected-table.ts"
import type { PlainDisk } from "#ground/workspace/plain-disk.ts"
import type { SetAside } from "#ground/workspace/set-aside.ts"
import { liesIn, liesInOne } from "#lib/lies-in.ts"
import { forConsent } from "#lib/printable.ts"
import { type ActingPart, actingParts } from "./acting-parts.ts"
import { openGitFolders, type Walked } from "./new-git-folders.ts"

export interface LeftBehindParts {
  readonly disk: PlainDisk
  /** Renames something; the new name, undefined if that failed. */
  readonly setAside: (wanted: SetAside) => string | undefined
  /** A path as notes show it. */
  readonly shown: (path: string) => string
}

/** What commands can write, and what of it is held. */
export interface Reach {
  readonly writable: readonly string[]
  /** Those of them that the user works in. */
  readonly worked: readonly string[]
  readonly held: ReadonlySet<string>
}

export interface LeftBehind {
  /** Call when a confined command starts; call the result when it has ended. */
  readonly begin: (reach: Reach) => () => void
  /** Whether a command runs, or ran since the last check. */
  readonly isDue: () => boolean
  /**
   * Call before a walk, and the result with what it found. What is new is the user's if no command ran since the last
   * check; otherwise commands may have made it, and what would act is renamed.
   */
  readonly check: () => (walked: Walked) => void
  /** Repositories that were not made by confined commands, those known longest first. */
  readonly others: () => readonly string[]
  /** Git folders made by confined commands: they are checked after each command, and not held. */
  readonly made: () => ReadonlySet<string>
  readonly note: (text: string) => void
  /** What was renamed since the last call, in sentences for the result of a command. */
  readonly takeNotes: () => readonly string[]
}

export function openLeftBehind({ disk, setAside, shown }: LeftBehindParts): LeftBehind {
  /** Seen while no command had run since the check before: they are the user's. With their identity. */
  const old = new Map<string, string | undefined>()
  /** Those of them that a walk found; the others belong to one of these. */
  const entries = new Set<string>()
  /** Made by commands. */
  const fresh = new Set<string>()
  const foldersFrom = openGitFolders(disk)
  /** Commands that were not checked yet. */
  const commands = new Set<UncheckedCommand>()
  const { say, takeNotes } = openNotes()
  let made: ReadonlySet<string> = new Set()
  let reach: Reach = { writable: [], worked: [], held: new Set() }
  let starts: ReadonlySet<string> = new Set()

  const startFilesNow = (): readonly string[] => startFilesIn(reach.worked, disk)

  const idOf = (path: string): string | undefined => disk.entryOf(disk.real(path))?.id

  const isWritable = (path: string): boolean =>
    liesInOne(path, reach.writable) || liesInOne(disk.real(path), reach.writable)

  const ground = {
    disk,
    get writable() {
      return reach.writable
    },
    isOld: (folder: string): boolean => old.has(folder) || !liesInOne(folder, reach.writable),
  }

  const { judge, remove } = openRenaming({ ground, setAside, shown, say })

  function checkUnits(walked: Walked): void {
    for (const known of [fresh, old, entries])
      for (const path of known.keys()) if (disk.entryOf(path) === undefined) known.delete(path)
    for (const path of foldersFrom(walked, reach.writable)) {
      if (fresh.has(path) || (old.has(path) && old.get(path) === idOf(path))) continue
      if (commands.size > 0 && isWritable(path)) {
        old.delete(path)
        fresh.add(path)
      } else old.set(path, idOf(path))
    }
    for (const path of walked.repositories) entries.add(path)
    for (const path of fresh) {
      if (commands.size > 0) judge(path)
      else if (actingParts(path, ground).length > 0) {
        // It was in order after the last command, so the user changed it, and from now on it is held.
        fresh.delete(path)
        old.set(path, idOf(path))
      }
    }
    const folders = [...fresh].map((path) => disk.real(path))
    if (folders.length !== made.size || folders.some((folder) => !made.has(folder))) made = new Set(folders)
  }

  function checkStartFiles(): void {
    for (const path of startFilesNow()) {
      if (starts.has(path) || [...reach.held].some((each) => liesIn(each, path))) continue
      remove({ folder: dirname(path), name: path.slice(dirname(path).length + 1), why: startsHere }, 0)
    }
    starts = new Set(startFilesNow())
  }

  return {
    begin(wanted) {
      const command = { isOver: false }
      if (commands.size === 0) {
        reach = wanted
        starts = new Set(startFilesNow())
      } else
        reach = {
          writable: [...new Set([...reach.writable, ...wanted.writable])],
          worked: [...new Set([...reach.worked, ...wanted.worked])],
          held: reach.held.union(wanted.held),
        }
      commands.add(command)
      return () => {
        command.isOver = true
      }
    },
    isDue: () => commands.size > 0,
    check() {
      // What ends during the walk may have written where the walk had been already.
      const over = [...commands].filter(({ isOver }) => isOver)
      return (walked) => {
        if (commands.size > 0) checkStartFiles()
        checkUnits(walked)
        for (const command of over) commands.delete(command)
      }
    },
    others: () => [...entries].filter((path) => !fresh.has(path)),
    made: () => made,
    note: say,
    takeNotes,
  }
}

interface RenamingParts extends Pick<LeftBehindParts, "setAside" | "shown"> {
  readonly ground: Parameters<typeof actingParts>[1] & { readonly writable: readonly string[] }
  readonly say: (text: string) => void
}

interface Renaming {
  /** Renames whatever in it would act outside the sandbox. */
  readonly judge: (path: string) => void
  /** Whether it could be renamed; it is said once, in the first round. */
  readonly remove: (part: ActingPart, round: number) => boolean
}

function openRenaming({ ground, setAside, shown, say }: RenamingParts): Renaming {
  function judge(path: string): void {
    for (let round = 0; round < mostRounds; round++) {
      const acting = actingParts(path, ground)
      if (acting.length === 0) return
      if (!acting.map((part) => remove(part, round)).every((isDone) => isDone)) return
    }
    say(`${shown(path)} would run programs outside the sandbox and is changed again and again. ${avoid}`)
  }

  function remove({ folder, name, instead, why }: ActingPart, round: number): boolean {
    const path = `${folder}/${name}`
    const isReachable = liesInOne(folder, ground.writable)
    const other = isReachable ? setAside({ folder, name, ...(instead !== undefined && { instead }) }) : undefined
    if (other === undefined) {
      say(`${shown(path)} was left by a command in the sandbox and could not be renamed: ${why}. ${avoid}`)
      return false
    }
    if (round === 0)
      say(
        `${shown(path)} was left by a command in the sandbox and renamed to ${other}, so that it does not act outside: ${why}. To use it, check it and rename it back.`,
      )
    return true
  }

  return { judge, remove }
}

const startFilesIn = (tops: readonly string[], disk: PlainDisk): readonly string[] =>
  tops.flatMap((top) => (disk.names(top) ?? []).filter(isStartFile).map((name) => `${top === "/" ? "" : top}/${name}`))

interface UncheckedCommand {
  isOver: boolean
}

function openNotes(): { readonly say: LeftBehind["note"]; readonly takeNotes: LeftBehind["takeNotes"] } {
  const notes: string[] = []
  return {
    // Names in it are chosen by whoever wrote the command.
    say: (text) => void notes.push(forConsent(text.length <= longestNote ? text : `${text.slice(0, longestNote)}…`)),
    takeNotes() {
      const taken = notes.splice(0)
      if (taken.length <= mostNotes) return taken
      const more = `${taken.length - mostNotes} more of these. The names of what was renamed end in .set-aside.`
      return [...taken.slice(0, mostNotes), more]
    },
  }
}

/** For the model and the user alike. */
const mostNotes = 8
const longestNote = 1_000

/** A running command may change it again while it is being renamed. */
const mostRounds = 3

const avoid = "Do not use it outside the sandbox before you have checked it."
const startsHere = "a shell or another program would start with it"

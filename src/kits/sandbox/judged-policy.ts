/** The policy of a command that nobody was asked about: it can change what it was judged to change, and nothing else. */

import { dirname } from "node:path"
import type { JudgedBoundary } from "#agent/words/boundary.ts"
import type { ReadOnlyLine, Policy, PolicyLine, ShownLine } from "#ground/sandbox/policy.ts"
import { isBelow, liesIn, liesInOne } from "#lib/lies-in.ts"
import type { Disk } from "./facts.ts"
import { protectedIn } from "./read-only-lines.ts"
import { machineReaderOf } from "./policy-of.ts"

/** Beyond this a folder is writable with everything in it: each line is a mount. */
const mostHeld = 300

export interface JudgedParts {
  readonly reader: Policy
  readonly disk: Disk
  /** The workspace and the added folders, with links resolved. */
  readonly roots: readonly string[]
}

export type JudgedPolicies = (boundary: JudgedBoundary, parts: JudgedParts) => Policy

/** Lines mostly write to the same folder: the same policy again is the same object, so that its mounts are known. */
const mostKept = 8

export function openJudgedPolicies(): JudgedPolicies {
  const kept = new Map<string, { readonly reader: Policy; readonly policy: Policy }>()
  return (boundary, parts) => {
    const made = judgedPolicy(boundary, parts)
    if (made === parts.reader) return made
    const key = JSON.stringify([made.name, made.writes, made.held, made.shown, made.machine])
    const before = kept.get(key)
    if (before?.reader === parts.reader) return before.policy
    if (kept.size >= mostKept) kept.clear()
    kept.set(key, { reader: parts.reader, policy: made })
    return made
  }
}

export function judgedPolicy(boundary: JudgedBoundary, parts: JudgedParts): Policy {
  return boundary.machine ? machineReaderOf(confined(boundary, parts)) : confined(boundary, parts)
}

function confined({ writes, reads }: JudgedBoundary, { reader, disk, roots }: JudgedParts): Policy {
  if (writes.length === 0 && reads.length === 0) return reader
  const named = writes.filter((path) => !liesIn(path, "/dev")).map(disk.real)
  const places = [...new Set(named.map((path) => placeOf(path, roots, disk)))]
  return {
    ...reader,
    name: named.length === 0 ? "reader" : "edits",
    writes: places.map((path) => ({ path, because: "the command was judged to write there" })),
    held: places.flatMap((place) => heldIn(place, [...named, ...places], disk)),
    shown: [...(reader.shown ?? []), ...reads.flatMap((path) => shownLine(path, reader.hidden, disk))],
  }
}

/** A name can only be added to a folder, or taken from it, where the folder can be written. */
function placeOf(path: string, roots: readonly string[], disk: Disk): string {
  const isOneFile = !liesInOne(path, roots) && disk.kindOf(path) === "file"
  if (roots.includes(path) || isOneFile) return path
  let folder = dirname(path)
  while (folder !== "/" && disk.kindOf(folder) !== "folder") folder = dirname(folder)
  return folder
}

/** Folders beside those that the command names, and files that would run something later. */
function heldIn(place: string, named: readonly string[], disk: Disk): readonly ReadOnlyLine[] {
  const isNamed = (path: string): boolean => named.some((each) => liesIn(each, path))
  const folders = disk.list(place).flatMap(({ name, isFolder }) => (isFolder ? [join(place, name)] : []))
  const beside = folders.filter((path) => !isNamed(path))
  const kept = beside.length > mostHeld ? [] : beside.map((path) => ({ path, because: "the command does not name it" }))
  return [...kept, ...protectedIn(place, disk).filter(({ path }) => !isNamed(path) && !liesInOne(path, beside))]
}

const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`)

/** A path that a rule lets it read, where that would be hidden. */
function shownLine(path: string, hidden: readonly PolicyLine[], disk: Disk): readonly ShownLine[] {
  const real = disk.real(path)
  const because = "a rule allows the command to read it"
  const isHidden = (at: string): boolean => hidden.some((line) => line.path === at || isBelow(at, line.path))
  const lines: readonly ShownLine[] = [
    { path: real, because },
    ...(real === path ? [] : [{ path, from: real, because }]),
  ]
  return lines.filter((line) => isHidden(line.path))
}

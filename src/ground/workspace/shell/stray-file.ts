/** Files around a command that would make it load, download or write more than its words say. */

import { posix } from "node:path"
import type { Argument } from "./argument.ts"
import { isPlainNpmrc } from "./programs/npmrc.ts"
import { absolute, under } from "./paths.ts"
import type { CommandContext } from "./programs/program.ts"
import type { Shape } from "./shape.ts"

/** What a command was given, as far as files around it matter. */
export interface CommandWords {
  readonly flags: ReadonlySet<string>
  readonly reads: readonly Argument[]
}

/** Why the surroundings make a program do more than its table says; undefined when they do not. */
export function strayFile(
  shape: Shape,
  standing: CommandContext,
  words: CommandWords = { flags: new Set(), reads: [] },
): string | undefined {
  const found = chooser(shape.unlessFile ?? [], standing) ?? chosenByKey(shape, standing) ?? settings(shape, standing)
  if (found !== undefined) return `${found} could make it another program`
  const loaded = shadow(shape, standing)
  if (loaded !== undefined) return `it would load ${loaded}`
  return named(shape, standing) ?? besides(shape, standing, words)
}

/** Whether the verdict depends on which files are around it, so that none may be created just before. */
export const relies = (shape: Shape): boolean =>
  [
    shape.unlessFile,
    shape.unlessKey,
    shape.unlessNpmrc,
    shape.unlessNamed,
    shape.unlessHolds,
    shape.unlessFileHolds,
    shape.unlessBeside,
    shape.unlessAround,
  ].some((condition) => condition !== undefined)

/** The first of the files in the working folder or above it; what is in the home folder is the user's own. */
export function chooser(files: readonly string[], standing: CommandContext): string | undefined {
  if (files.length === 0) return undefined
  const lies = existsIn(standing.place)
  return firstAbove(standing, (folder) => files.find((name) => lies(folder, name)))
}

/** A manifest that names another version of the program, or that cannot be read. */
function chosenByKey({ unlessKey = [] }: Shape, standing: CommandContext): string | undefined {
  if (unlessKey.length === 0) return undefined
  return firstAbove(standing, (folder) => {
    const text = textIn(folder, "package.json", standing)
    if (text === undefined) return undefined
    const keys = keysOf(text)
    return keys && !unlessKey.some((key) => keys.includes(key)) ? undefined : "package.json"
  })
}

function keysOf(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null ? Object.keys(value) : undefined
  } catch {
    return undefined
  }
}

function settings({ unlessNpmrc }: Shape, standing: CommandContext): string | undefined {
  if (!unlessNpmrc) return undefined
  return firstAbove(standing, (folder) => {
    const text = textIn(folder, ".npmrc", standing)
    return text === undefined || isPlainNpmrc(text) ? undefined : ".npmrc"
  })
}

/** A module or package in the working folder that is loaded before the program's own of that name. */
function shadow({ unlessNamed }: Shape, { folders, place }: CommandContext): string | undefined {
  if (!unlessNamed) return undefined
  for (const folder of folders ?? ["/"]) {
    const names = place.list?.(folder)
    if (!names) return "what nobody has looked at"
    const isPackage = (name: string): boolean =>
      place.list?.(under(folder, name))?.some((inner) => inner.startsWith("__init__.")) ?? false
    const found = names.find((name) => unlessNamed.test(name) || isPackage(name))
    if (found !== undefined) return found
  }
  return undefined
}

/** A file that it reads by itself and that names others. */
function named({ unlessFileHolds }: Shape, standing: CommandContext): string | undefined {
  if (!unlessFileHolds) return undefined
  const { files, holds } = unlessFileHolds
  const found = firstAbove(standing, (folder) =>
    files.find((name) => {
      const text = textIn(folder, name, standing)
      return text !== undefined && holds.test(text)
    }),
  )
  return found === undefined ? undefined : `${found} could make it read other files`
}

/** A file that it is given, or one beside it, that leads to others. */
function besides(
  { unlessHolds, unlessBeside }: Shape,
  standing: CommandContext,
  { reads }: CommandWords,
): string | undefined {
  if (!unlessHolds && !unlessBeside) return undefined
  const { folders, place } = standing
  const lies = existsIn(place)
  // What it is fed counts as a file of the working folder.
  const around = chooser(unlessBeside ?? [], standing)
  if (around !== undefined) return `${around} could make it read other files`
  for (const read of reads) {
    const paths = read.kind === "exact" ? absolute(read.text, folders) : undefined
    if (!paths) return "nobody can say which files it would read"
    for (const path of paths.flatMap((each) => [each, place.realPath(each)])) {
      const text = unlessHolds ? textIn(posix.dirname(path), posix.basename(path), standing) : undefined
      if (text !== undefined && unlessHolds?.test(text)) return `${read.text} could make it read other files`
      const found = parents(posix.dirname(path)).flatMap((folder) =>
        folder === place.home ? [] : (unlessBeside ?? []).filter((name) => lies(folder, name)),
      )[0]
      if (found !== undefined) return `${found} could make it read other files`
    }
  }
  return undefined
}

/** The first find in the folders a command may run in and above them, without the home folder. */
function firstAbove<T>({ folders, place }: CommandContext, find: (folder: string) => T | undefined): T | undefined {
  for (const start of folders ?? ["/"])
    for (const folder of parents(start)) {
      const found = folder === place.home ? undefined : find(folder)
      if (found !== undefined) return found
    }
  return undefined
}

/** Undefined when there is no file. One that cannot be read counts as containing anything. */
function textIn(folder: string, name: string, { place }: CommandContext): string | undefined {
  if (!existsIn(place)(folder, name)) return undefined
  return place.text?.(under(folder, name)) ?? unreadable
}

/** Not a plain setting, not a manifest, and matches whatever is searched for. */
const unreadable = "\\x00 mod include"

const existsIn =
  (place: CommandContext["place"]) =>
  (folder: string, name: string): boolean =>
    place.exists?.(under(folder, name)) ?? true

/** A folder and its ancestors, itself first. */
export function parents(start: string): readonly string[] {
  const parent = posix.dirname(start)
  return parent === start || start === "." ? [start] : [start, ...parents(parent)]
}

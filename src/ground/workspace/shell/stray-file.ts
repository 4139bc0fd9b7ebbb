/** Files around a command that would make it load, fetch or write more than its words say. */

import { posix } from "node:path"
import { under } from "./paths.ts"
import type { Standing } from "./program.ts"
import type { Shape } from "./shape.ts"

/** Why the surroundings make a program do more than its table says; undefined when they do not. */
export function strayFile(shape: Shape, standing: Standing): string | undefined {
  const found = otherProgram(shape, standing)
  if (found !== undefined) return `${found} could make it another program`
  const loaded = shadow(shape, standing)
  if (loaded !== undefined) return `it would load ${loaded}`
  return unlocked(shape, standing)
}

/** Whether a program is judged by which files lie around it, so that none may be made just before. */
export const relies = ({ unlessFile, unlessProjectFile, unlessNamed, locks }: Shape): boolean =>
  [unlessFile, unlessProjectFile, unlessNamed, locks].some((condition) => condition !== undefined)

/** The first of the files in the working folder or above it; what lies in the home is the person's own. */
export const chooser = (files: readonly string[], standing: Standing): string | undefined =>
  otherProgram({ unlessFile: files }, standing)

/** A file that could make the name mean another program. */
function otherProgram(
  { unlessFile = [], unlessProjectFile = [] }: Shape,
  { folders, place }: Standing,
): string | undefined {
  if (unlessFile.length + unlessProjectFile.length === 0) return undefined
  const lies = existsIn(place)
  for (const start of folders ?? ["/"]) {
    // Without a package anywhere the folder itself counts as one.
    const packages = parents(start).find((each) => lies(each, "package.json") || lies(each, "node_modules")) ?? start
    for (const folder of parents(start)) {
      const names = folder.length >= packages.length ? [...unlessFile, ...unlessProjectFile] : unlessFile
      const found = folder === place.home ? undefined : names.find((name) => lies(folder, name))
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** A module or package in the working folder that is loaded before the program's own of that name. */
function shadow({ unlessNamed }: Shape, { folders, place }: Standing): string | undefined {
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

/** A manifest without its lock: the program would write one. */
function unlocked({ locks }: Shape, { folders, place }: Standing): string | undefined {
  if (!locks) return undefined
  const lies = existsIn(place)
  const isOpen = (folders ?? ["/"]).some((start) => {
    const all = parents(start)
    return all.some((each) => lies(each, locks.manifest)) && !all.some((each) => lies(each, locks.lock))
  })
  return isOpen ? `it would write ${locks.lock}` : undefined
}

const existsIn =
  (place: Standing["place"]) =>
  (folder: string, name: string): boolean =>
    place.exists?.(under(folder, name)) ?? true

/** A folder and all that it lies in, itself first. */
export function parents(start: string): readonly string[] {
  const parent = posix.dirname(start)
  return parent === start || start === "." ? [start] : [start, ...parents(parent)]
}

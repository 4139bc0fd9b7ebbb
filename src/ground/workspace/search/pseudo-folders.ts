/** Mounts without files of their own, such as `/proc`: a search that starts above them does not enter them. */

import { readFileSync } from "node:fs"
import { liesIn } from "#lib/lies-in.ts"
import { mountsIn, pseudoBelow } from "#lib/pseudo-mounts.ts"

/** Arguments for ripgrep. It has to run in the folder, because globs are relative to where it runs. */
export function withoutPseudo(folder: string): readonly string[] {
  // An ordinary project does not pay for reading the mounts.
  if (!usualPlaces.some((place) => liesIn(place, folder))) return []
  const root = folder === "/" ? "" : folder
  return pseudoBelow(folder, mountsIn(readMounts())).map((path) => `--glob=!${literal(path.slice(root.length))}`)
}

/** Where systems mount them; elsewhere somebody has to have asked for it. */
const usualPlaces: readonly string[] = ["/dev", "/proc", "/run", "/sys", "/var/lib/nfs"]

const literal = (path: string): string => path.replaceAll(/[\\*?[\]{}]/g, "\\$&")

function readMounts(): string | undefined {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
  } catch {
    return undefined
  }
}

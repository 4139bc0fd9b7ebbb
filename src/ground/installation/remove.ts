/** Removes an installation of our own: everything that install.sh and updates have made, and nothing else. */

import { lstatSync, readFileSync, readlinkSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { recordFile } from "./owner.ts"

/** The line that install.sh adds to a shell profile when asked; see `scripts/release/install.sh`. */
const profileMark = "# added by the Codewright installer"

/** What was removed, as paths; whatever cannot be removed throws. */
export function removeInstallation(root: string): readonly string[] {
  const record = readFileSync(join(root, recordFile), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, name = "", path = ""] = /^(\w+) (\/.*)$/.exec(line) ?? []
      return path === "" ? [] : [{ name, path }]
    })
  const named = (name: string): readonly string[] => record.filter((line) => line.name === name).map(({ path }) => path)
  const removed: string[] = []
  for (const link of named("link"))
    if (isLinkInto(link, root)) {
      rmSync(link)
      removed.push(link)
    }
  for (const profile of named("profile")) if (withoutLine(profile)) removed.push(`a line in ${profile}`)
  rmSync(root, { recursive: true })
  // Folders that the installer had to make, innermost last in its record.
  for (const folder of named("made").toReversed()) removeIfEmpty(folder)
  return [...removed, root]
}

function isLinkInto(path: string, root: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && readlinkSync(path).startsWith(`${root}/`)
  } catch {
    return false
  }
}

function withoutLine(profile: string): boolean {
  try {
    const text = readFileSync(profile, "utf8")
    const kept = text
      .split("\n")
      .filter((line) => !line.endsWith(profileMark))
      .join("\n")
    if (kept === text) return false
    writeFileSync(profile, kept)
    return true
  } catch {
    return false
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Others use it by now.
  }
}

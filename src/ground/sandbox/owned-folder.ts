/** Temporary folders named after their process, so that the next one can remove what a killed one left. */

import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import { isGone, ownerName } from "./owner.ts"

/** A new folder for this process alone; folders of dead processes are removed. */
export function ownedFolder(place: string, prefix: string, ids: Ids): string {
  for (const name of readdirSync(place))
    if (name.startsWith(`${prefix}-`) && isGone(name.slice(prefix.length + 1))) removeOwn(join(place, name))
  const folder = join(place, `${prefix}-${ownerName()}.${ids.uuid().slice(0, 8)}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

function removeOwn(folder: string): void {
  try {
    const found = lstatSync(folder)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return
    open(folder)
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Somebody else removes it at the same time.
  }
}

/** An unreadable folder cannot be removed with its content. */
function open(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    if ((lstatSync(path).mode & 0o700) !== 0o700) chmodSync(path, 0o700)
    open(path)
  }
}

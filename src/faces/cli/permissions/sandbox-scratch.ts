/** A folder for the files of a sandbox that no session has. */

import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownedFolder } from "#ground/sandbox/owned-folder.ts"
import { makePrivateFolder } from "#ground/settings/state-folder.ts"
import { systemIds } from "#lib/ids.ts"

/** In the temporary folder, else in the state folder. Where neither can be written, the sandbox says so when it is tried. */
export function sandboxScratch(state: string, prefix: string): string {
  const unmade = join(tmpdir(), `${prefix}-${systemIds.uuid()}`)
  return made(tmpdir(), prefix) ?? (makePrivateFolder(state).ok ? made(state, prefix) : undefined) ?? unmade
}

function made(place: string, prefix: string): string | undefined {
  try {
    return ownedFolder(place, prefix, systemIds)
  } catch {
    return undefined
  }
}

/**
 * A file of ours that a shell will read. Tools can write in the session's folder without asking, so a file that is not
 * in the state in which it was written is not trusted: it is written again.
 */

import { lstatSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import { type Identity, identityOf, isSameState } from "./identity.ts"

export interface OwnFile {
  /** The path of a file with exactly this content; undefined when it cannot be written. */
  readonly path: () => string | undefined
}

export function openOwnFile({
  folder,
  name,
  text,
  ids,
}: {
  readonly folder: string
  readonly name: string
  readonly text: string
  readonly ids: Ids
}): OwnFile {
  let written: { readonly path: string; readonly identity: Identity } | undefined

  function write(): string | undefined {
    const path = join(folder, `${name}-${ids.uuid()}`)
    try {
      writeFileSync(path, text, { mode: 0o600, flag: "wx" })
      written = { path, identity: identityOf(lstatSync(path, { bigint: true })) }
      return path
    } catch {
      return undefined
    }
  }

  return {
    path() {
      if (written === undefined) return write()
      const now = lstatSync(written.path, { bigint: true, throwIfNoEntry: false })
      return now !== undefined && isSameState(identityOf(now), written.identity) ? written.path : write()
    },
  }
}

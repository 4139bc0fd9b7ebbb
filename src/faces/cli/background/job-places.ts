/** Where the log of a background session is, and what of its environment is not kept on disk. */

import { join } from "node:path"
import { isLendable, isOwnSecret } from "#ground/settings/child-environment.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { openShelf, type Shelf } from "#ground/transcript/shelf.ts"

/** Credentials are not written to disk for good: those of the shell that started the session count, else those of the host. */
export const isCredential = (name: string, value: string | undefined): boolean =>
  isOwnSecret(name) || isLendable(name, value)

export const shelfOf = (state: string, cwd: string): Shelf =>
  openShelf({ projects: join(state, "projects"), slug: projectSlug(cwd) })

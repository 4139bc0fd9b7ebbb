/** How this program was installed, and thus who may change it. */

import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** The program's own: made by install.sh, changed by `update` and `uninstall`. */
export interface OwnInstallation {
  readonly kind: "own"
  readonly root: string
}

/** Somebody else's, with their commands. */
export interface OtherInstallation {
  readonly kind: "other"
  /** As in "was installed by npm". */
  readonly by: string
  readonly update: string
  readonly remove: string
}

export interface OwnerOptions {
  /** The running executable. */
  readonly program: string
  readonly isSource: boolean
  readonly dpkg?: string
}

/** The file that marks an installation of our own; see `scripts/release/install.sh`. */
export const recordFile = "installation"

export function ownerOf({
  program,
  isSource,
  dpkg = "/var/lib/dpkg/info",
}: OwnerOptions): OwnInstallation | OtherInstallation {
  if (isSource) return other("runs from source", "git pull, then npm ci", "delete the checkout")
  const path = realpathSync(program)
  const versions = dirname(dirname(path))
  if (basename(versions) === "versions" && existsSync(join(dirname(versions), recordFile)))
    return { kind: "own", root: dirname(versions) }
  if (path.includes("/node_modules/"))
    return other("was installed by npm", "npm install -g codewright@latest", "npm uninstall -g codewright")
  if (path.includes("/Cellar/"))
    return other("was installed by Homebrew", "brew upgrade codewright", "brew uninstall codewright")
  if (path.startsWith("/usr/") && existsSync(join(dpkg, "codewright.list")))
    return other(
      "was installed as a Debian package",
      "sudo apt install ./codewright_<version>_<architecture>.deb",
      "sudo apt remove codewright",
    )
  return other("was not put here by the installer", "replace the file, or run install.sh", `rm ${path}`)
}

const other = (by: string, update: string, remove: string): OtherInstallation => ({ kind: "other", by, update, remove })

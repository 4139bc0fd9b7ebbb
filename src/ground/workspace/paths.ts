/** What a path means: as the model wrote it, as an absolute path, and where it really leads. */

import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { errorCode, type FileFailure } from "./failure.ts"

export interface Paths {
  /** The absolute form of a path as the model wrote it: relative to the working folder, `~` for home. */
  readonly resolve: (path: string) => Result<string, FileFailure>
  /** The short form for people and the model: relative when it lies below the working folder. */
  readonly show: (absolute: string) => string
}

export function openPaths({ cwd, home }: { readonly cwd: () => string; readonly home: string }): Paths {
  return {
    resolve(path) {
      if (path === "") return failed({ kind: "bad_path", path, why: "it is empty" })
      if (path.includes("\0")) return failed({ kind: "bad_path", path, why: "it contains a NUL byte" })
      if (path === "~" || path.startsWith("~/")) return ok(resolve(home, `.${path.slice(1)}`))
      return ok(resolve(cwd(), path))
    },
    show(absolute) {
      const folder = cwd()
      if (absolute === folder) return "."
      return isBelow(absolute, folder) ? relative(folder, absolute) : absolute
    },
  }
}

/** Whether a path lies inside a folder, compared by components: `/a/bc` is not below `/a/b`. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
}

const mostLinks = 40

/** Where a path leads once every link is followed, also when the file (or more of the path) does not exist yet. */
export function realPath(path: string, links = 0): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    // Anything but a missing file is found out, and said better, by whoever opens the path.
    if (errorCode(error) !== "ENOENT" || links > mostLinks) return path
  }
  const parent = dirname(path)
  if (parent === path) return path
  const folder = realPath(parent, links)
  const target = linkTarget(join(folder, basename(path)))
  return target === undefined ? join(folder, basename(path)) : realPath(resolve(folder, target), links + 1)
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A place that exists only in tests: a project with two links that lead out of it. */

import { posix } from "node:path"
import type { Place } from "#ground/workspace/shell/analysis.ts"

export const project = "/home/dev/project"

const links: { readonly [path: string]: string } = {
  [`${project}/link-out`]: "/etc",
  [`${project}/secret`]: "/home/dev/.ssh/id_rsa",
}

export const place: Place = {
  cwd: project,
  home: "/home/dev",
  roots: [project],
  realPath,
  repositoryRunsPrograms: () => false,
  exists: () => false,
}

/** Follows the links above name by name, as the kernel does, dots last. */
function realPath(path: string): string {
  let real = "/"
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue
    real = name === ".." ? posix.dirname(real) : posix.join(real, name)
    real = links[real] ?? real
  }
  return real
}

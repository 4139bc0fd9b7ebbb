/** A place that exists only in tests: a project with two links that lead out of it. */

import { posix } from "node:path"
import type { WalkedFile, ShellPlace } from "#ground/workspace/shell/analysis.ts"

export const project = "/home/dev/project"

const links: { readonly [path: string]: string } = {
  [`${project}/link-out`]: "/etc",
  [`${project}/secret`]: "/home/dev/.ssh/id_rsa",
}

const files: readonly string[] = ["README.md", "package.json", "src/a.ts", "src/b.test.ts", "docs/guide.md"]

export const place: ShellPlace = {
  cwd: project,
  home: "/home/dev",
  roots: [project],
  realPath,
  repositoryRunsPrograms: () => false,
  exists: () => false,
  everything,
  tracked: () => ({ names: files, prefix: "" }),
}

function everything(folder: string): readonly WalkedFile[] {
  const inside = folder.replace(/\/*$/, "/").replaceAll("/./", "/")
  const all = [...files.map((file) => `${project}/${file}`), ...Object.keys(links)]
  return all.flatMap((path) =>
    path.startsWith(inside) ? [{ path: path.slice(inside.length), isLink: path in links }] : [],
  )
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

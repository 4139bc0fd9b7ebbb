/** `git checkout name` with one name: a branch, or a file that would be overwritten. The disk says which. */

import { posix } from "node:path"
import type { Destruction, ShellPlace } from "#ground/workspace/shell/analysis.ts"
import { absolute, under } from "#ground/workspace/shell/paths.ts"

/** Undefined when it switches branches, or is another command. */
export function overwritesFile(
  argv: readonly string[],
  folders: readonly string[] | undefined,
  place: ShellPlace,
): Destruction | undefined {
  if (posix.basename(argv[0] ?? "") !== "git" || argv[1] !== "checkout") return undefined
  const operands = argv.slice(2).filter((word) => !word.startsWith("-"))
  const name = operands[0]
  if (name === undefined || operands.length > 1 || argv.some((word) => /^-[a-zA-Z]*[bBtd]|^--(?:or|tr|de)/.test(word)))
    return undefined
  const isFile = absolute(name, folders)?.some((path) => place.exists?.(path) ?? false) ?? false
  if (!isFile || folders?.every((folder) => isBranch(name, folder, place))) return undefined
  return { what: "git checkout of files", risk: "discards uncommitted changes", loses: "changes" }
}

/** git takes a name that is both for the branch. */
function isBranch(name: string, folder: string, place: ShellPlace): boolean {
  for (let at = folder; ; at = posix.dirname(at)) {
    const git = under(at, ".git")
    if (place.exists?.(git)) {
      const packed = place.text?.(under(git, "packed-refs")) ?? ""
      return ["heads", "tags"].some(
        (kind) =>
          place.exists?.(under(git, `refs/${kind}/${name}`)) === true || packed.includes(` refs/${kind}/${name}\n`),
      )
    }
    if (at === "/" || at === ".") return false
  }
}

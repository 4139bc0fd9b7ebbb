/** The exact output of the plainest commands. */

import { posix } from "node:path"
import type { ShellPlace } from "./analysis.ts"
import { type Argument, exactTexts } from "./argument.ts"
import { under } from "./paths.ts"
import type { State } from "./state.ts"

/** Without the line end that a substitution strips; undefined when unknown. */
export function printedText(args: readonly Argument[], { folders }: State, place: ShellPlace): string | undefined {
  const [program, ...words] = exactTexts(args) ?? []
  const [folder, ...others] = folders ?? []
  const here = others.length === 0 && folder !== undefined && !folder.includes("\n") ? folder : undefined
  switch (program) {
    case "pwd":
      return words.length === 0 ? here : undefined
    case "dirname":
      return isPath(words[0]) && words.length === 1 ? posix.dirname(words[0]) : undefined
    case "basename":
      return isPath(words[0]) && words.length <= 2 ? basename(words[0], words[1]) : undefined
    case "git":
      return here !== undefined && words.join(" ") === "rev-parse --show-toplevel" ? topOf(here, place) : undefined
    default:
      return undefined
  }
}

const isPath = (word: string | undefined): word is string =>
  word !== undefined && /^[\w./@+ -]+$/.test(word) && !word.startsWith("-") && !word.endsWith("/")

function basename(path: string, suffix = ""): string | undefined {
  const name = posix.basename(path)
  if (suffix !== "" && !/^\.\w+$/.test(suffix)) return undefined
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

/** The root of a repository; only returned when it is the folder itself. */
function topOf(folder: string, place: ShellPlace): string | undefined {
  if (folder !== place.cwd || place.exists?.(under(folder, ".git")) !== true || place.repositoryRunsPrograms(folder))
    return undefined
  return place.realPath(folder)
}

/** Whether it prints the name of the current branch, and that is no flag. */
export function printsBranch(args: readonly Argument[], { folders }: State, place: ShellPlace): boolean {
  const words = exactTexts(args)?.join(" ") ?? ""
  if (!/^git (?:branch --show-current|rev-parse --abbrev-ref HEAD|symbolic-ref (?:-q )?--short HEAD)$/.test(words))
    return false
  const [folder, ...others] = folders ?? []
  if (folder === undefined || others.length > 0) return false
  const head = headOf(folder, place)
  return head !== undefined && /^(?:ref: refs\/heads\/[\w.][\w./@+#-]*|[0-9a-f]{40,64})\n?$/.test(head)
}

/** The HEAD of the repository around a folder, also in a worktree. */
function headOf(folder: string, { text }: ShellPlace): string | undefined {
  for (let at = folder; ; at = posix.dirname(at)) {
    const head = text?.(under(at, ".git/HEAD"))
    if (head !== undefined) return head
    const [, elsewhere] = /^gitdir: (\/.+)\n?$/.exec(text?.(under(at, ".git")) ?? "") ?? []
    if (elsewhere !== undefined) return text?.(under(elsewhere, "HEAD"))
    if (at === "/" || at === ".") return undefined
  }
}

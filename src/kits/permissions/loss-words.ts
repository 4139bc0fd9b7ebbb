/** How much would be lost, in words: said in the question, behind what is at risk. */

import type { Count } from "#ground/workspace/count-files.ts"
import type { Loss } from "#ground/workspace/shell/analysis.ts"

export function lossWords(loss: Loss, { count, more }: Count, argv: readonly string[]): string {
  const many = `${more ? "more than " : ""}${count.toLocaleString("en")}`
  const some = (one: string, several: string): string => `${many} ${count === 1 && !more ? one : several}`
  switch (loss) {
    case "files":
      return count === 0 && !more ? "nothing is there" : some("file", "files")
    case "tracked":
      return some("file that git knows", "files that git knows")
    case "untracked":
      return some("file that git does not know", "files that git does not know")
    case "changes":
      return count === 0 && !more ? "nothing is uncommitted" : some("file has changes", "files have changes")
    case "stashes":
      return argv.includes("clear") ? some("stash", "stashes") : some("file in the stash", "files in the stash")
    case "commits":
      return some("commit is nowhere else", "commits are nowhere else")
  }
}

/** How much would be lost, in words: shown in the question, after what is at risk. */

import type { Count } from "#ground/workspace/search/count-files.ts"
import type { Loss } from "#ground/workspace/shell/analysis.ts"

export function lossWords(loss: Loss, { count, more }: Count, argv: readonly string[]): string {
  const many = `${more ? "more than " : ""}${count.toLocaleString("en")}`
  const some = (one: string, several: string): string => `${many} ${count === 1 && !more ? one : several}`
  switch (loss) {
    case "files":
      return count === 0 && !more ? "nothing there now" : some("file", "files")
    case "tracked":
      return some("tracked file", "tracked files")
    case "untracked":
      return some("untracked file", "untracked files")
    case "changes":
      return count === 0 && !more ? "none now" : some("changed file", "changed files")
    case "stashes":
      return argv.includes("clear") ? some("stash", "stashes") : some("stashed file", "stashed files")
    case "commits":
      return some("commit", "commits")
  }
}

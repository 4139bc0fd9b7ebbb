/** How much of what would be committed now a session wrote: characters of added lines, by the file history. */

import { join } from "node:path"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { openAskGit } from "#ground/workspace/git/ask-git.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import type { Journal } from "#session/journal/journal.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Ground } from "./ground.ts"

export interface ShareParts extends Pick<SessionOptions, "place" | "clock"> {
  readonly ground: Pick<Ground, "repository" | "workspace">
  readonly journal: Pick<Journal, "past">
  readonly checkpoints: Pick<Checkpoints, "written">
}

/** From 0 to 1. What cannot be told counts as the session's, so that nothing of it is hidden. */
export async function shareOfSession(parts: ShareParts, signal: AbortSignal): Promise<number> {
  const { ground, place, clock, journal, checkpoints } = parts
  const { repository, workspace } = ground
  if (!repository || place.trusted !== true) return 1
  const ask = openAskGit({ processes: workspace.processes, clock, env: place.childEnv })
  const git = async (...argv: readonly string[]): Promise<string | undefined> => {
    const said = await ask(argv, repository.root, signal)
    return said && !said.cut ? said.text : undefined
  }
  const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0"]
  const staged = await git("diff", "--cached", ...plain)
  const isStaged = staged !== undefined && staged !== ""
  const diff = isStaged ? staged : await git("diff", "HEAD", ...plain)
  const untracked = isStaged ? "" : await git("ls-files", "--others", "--exclude-standard", "-z")
  const written = await checkpoints.written(await journal.past.history())
  if (diff === undefined || untracked === undefined || !written.ok) return 1
  const added = addedIn(diff)
  for (const name of untracked.split("\0").filter((one) => one !== ""))
    added.set(name, textFiles.read(join(repository.root, name))?.text.split("\n") ?? [])
  const byPath = [...added].map(([name, lines]) => ({
    lines,
    own: written.value.get(realPath(join(repository.root, name))),
  }))
  return shareIn(byPath)
}

interface AddedFile {
  readonly lines: readonly string[]
  /** Undefined if the session never changed it. */
  readonly own: readonly string[] | undefined
}

function shareIn(files: readonly AddedFile[]): number {
  let all = 0
  let ours = 0
  for (const { lines, own = [] } of files) {
    const left = new Map<string, number>()
    for (const line of own) left.set(line, (left.get(line) ?? 0) + 1)
    for (const line of lines) {
      const count = left.get(line) ?? 0
      all += line.length
      if (count > 0) ours += line.length
      left.set(line, count - 1)
    }
  }
  // Nothing was added: whoever removed something wrote the change.
  if (all === 0) return files.some(({ own }) => own !== undefined) ? 1 : 0
  return ours / all
}

/** By file. In a header, git quotes names that are not plain; those files count for nobody. */
function addedIn(diff: string): Map<string, readonly string[]> {
  const added = new Map<string, string[]>()
  let lines: string[] = []
  let isHead = false
  for (const row of diff.split("\n")) {
    if (row.startsWith("diff --git ")) {
      isHead = true
      lines = []
    } else if (row.startsWith("@@ ")) isHead = false
    else if (isHead && row.startsWith("+++ b/")) added.set(row.slice("+++ b/".length).replace(/\t$/, ""), lines)
    else if (isHead && row.startsWith("--- a/")) added.set(row.slice("--- a/".length).replace(/\t$/, ""), lines)
    else if (!isHead && row.startsWith("+")) lines.push(row.slice(1))
  }
  return added
}

/** Renames a symbol by search and edit: whole words only, without any notion of scopes. */

import { act, finish, missing, outcomeOf, stopAt, type DemoCall, type Move } from "./move.ts"
import { readFiles, type SourceFile } from "./project.ts"
import type { Story } from "./story.ts"

export interface Renaming {
  readonly from: string
  readonly to: string
}

const mostFiles = 20

/** Undefined when the task is not a renaming. */
export function wantedRenaming(task: string): Renaming | undefined {
  const asked =
    /\brename\s+(?:the\s+)?(?:function|class|variable|constant|method|symbol|type)?\s*["'`]?([A-Za-z_$][\w$]*)["'`]?\s+(?:to|into|as)\s+["'`]?([A-Za-z_$][\w$]*)/i.exec(
      task,
    )
  return asked?.[1] && asked[2] ? { from: asked[1], to: asked[2] } : undefined
}

export function rename(story: Story, renaming: Renaming): Move {
  const { from, to } = renaming
  if (from === to) return finish("Both names are the same, so there is nothing to do.")
  const lacking = ["Grep", "Read", "Edit"].find((tool) => !story.offers(tool))
  if (lacking !== undefined) return missing(lacking, "rename")
  const search: DemoCall = {
    tool: "Grep",
    input: { pattern: `\\b${from.replaceAll("$", "\\$")}\\b`, output_mode: "files_with_matches" },
  }
  const searched = outcomeOf(story, search)
  if (searched === undefined) return act(`Looking for every file that names \`${from}\`.`, search)
  if (searched.failed) return stopAt(searched)
  const refused = story.done.findLast(({ tool, failed }) => tool === "Edit" && failed)
  if (refused) return stopAt(refused)
  const paths = searched.result.split("\n").filter((line) => /^\S+$/.test(line.trim()) && /[./]/.test(line))
  if (paths.length === 0) return finish(`No file names \`${from}\`.`)
  if (paths.length > mostFiles)
    return finish(`${paths.length} files name \`${from}\`. That is more than I dare to change by rule.`)

  const files = readFiles(story, paths, `${countOf(paths.length, "file")} to change. I will read them first.`)
  if (files.kind === "move") return files.move
  const edits = files.value.flatMap((file) => editsFor(file, renaming))
  const open = edits.filter((edit) => outcomeOf(story, edit) === undefined)
  if (open.length > 0) return act(`Renaming \`${from}\` to \`${to}\`.`, ...open)
  if (edits.length === 0) return finish(`I found \`${from}\` in ${paths.join(", ")}, but could not read it there.`)
  return finish(
    `Renamed \`${from}\` to \`${to}\` in ${countOf(paths.length, "file")}:\n\n${paths.map((path) => `- ${path}`).join("\n")}\n\n` +
      "I went by whole words alone, so please look at the changes, and run the tests.",
  )
}

/** One edit for a file where the name is never part of a longer one; else one per distinct line. */
function editsFor({ path, lines }: SourceFile, { from, to }: Renaming): readonly DemoCall[] {
  const word = new RegExp(`(?<![\\w$])${from.replaceAll("$", "\\$")}(?![\\w$])`, "g")
  const text = lines.join("\n")
  const whole = text.match(word)?.length ?? 0
  if (whole === 0) return []
  const edit = (old: string, next: string, all: boolean): DemoCall => ({
    tool: "Edit",
    input: { file_path: path, old_string: old, new_string: next, ...(all && { replace_all: true }) },
  })
  if (text.split(from).length - 1 === whole) return [edit(from, to, whole > 1)]
  const named = [...new Set(lines.filter((line) => line.search(word) !== -1))]
  return named.map((line) =>
    edit(
      line,
      line.replaceAll(word, () => to),
      text.split(line).length > 2,
    ),
  )
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

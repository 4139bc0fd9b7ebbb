/** Finds files by their names. */

import { join } from "node:path"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import type { Files } from "#ground/workspace/files.ts"
import { leavesFolder, splitPattern } from "#ground/workspace/search/glob.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Places } from "#ground/workspace/places.ts"
import type { FoundFiles, Search } from "#ground/workspace/search/search.ts"
import type { Clock } from "#lib/clock.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { saySearch } from "./say-search.ts"

export interface GlobGround {
  readonly search: Search
  readonly files: Files
  readonly paths: Paths
  readonly places: Places
  readonly clock: Clock
}

export interface GlobInput {
  readonly pattern: string
  readonly path?: string | undefined
}

const most = 100

const input = shape.object({
  pattern: shape.string().min(1).describe("Glob pattern, such as **/*.ts or src/**/*.{js,jsx}"),
  path: shape.string().optional().describe("Folder to look in; the working folder if not given"),
})

export const globTool = (ground: GlobGround): Tool<GlobInput> =>
  defineTool({
    name: "Glob",
    gathers: "pattern",
    description,
    input,
    title: ({ pattern, path }) => `Glob ${path === undefined ? pattern : join(path, pattern)}`,
    footprint: (call) => reads(ground.places.declare(call, whereAndWhat(call).folder)),
    validate: async (call) => {
      if (leavesFolder(call.pattern)) return wayOut
      const folder = ground.paths.resolve(whereAndWhat(call).folder)
      return folder.ok ? undefined : fileComplaint(folder.failure)
    },
    async run(call, { signal }) {
      const startedAt = ground.clock.now()
      const { folder, rest } = whereAndWhat(call)
      const place = ground.places.of(call, folder)
      if (!place.ok) return refusedFile(place.failure)
      const state = ground.files.stat(place.value.real)
      if (state.ok || state.failure.kind !== "is_folder")
        return refused(state.ok ? `${place.value.path} is a file; Read shows it.` : say(state.failure))
      const found = await ground.search.files({ folder: place.value.path, pattern: rest, most, signal })
      if (!found.ok) return refused(saySearch(found.failure))
      return show(ground, call, found.value, ground.clock.now() - startedAt)
    },
  })

const wayOut =
  "The pattern leads out of its folder behind a wildcard or in braces. Name the folder to look in as `path`, one call for each."

const description = `Finds files whose path matches a glob pattern, newest first, at most ${most}. * stays within a folder, ** goes through all below. Files that .gitignore leaves out are left out; dotfiles are found when the pattern names them (.env*, .github/**). Use this, not find or ls; for contents use Grep.`

/** The search starts in the folder that the pattern cannot leave, which is what the call declares to read. */
function whereAndWhat({ pattern, path }: GlobInput): { readonly folder: string; readonly rest: string } {
  const { folder, rest } = splitPattern(pattern)
  const isOwn = folder.startsWith("/") || folder === "~" || folder.startsWith("~/")
  return { folder: isOwn ? folder : join(path ?? ".", folder), rest }
}

function show({ paths }: GlobGround, { pattern }: GlobInput, found: FoundFiles, durationMs: number): Outcome {
  const filenames = found.paths.map(paths.show)
  const isTruncated = found.count > filenames.length
  const data = { filenames, numFiles: filenames.length, truncated: isTruncated, durationMs }
  const cut =
    found.cut === "no" ? "" : "\n[The search was ended early: there are too many files. Look in a smaller folder.]"
  if (filenames.length === 0) {
    const hint = pattern.includes("/") ? "" : ` To look in all folders below, use **/${pattern}.`
    return answered(`No files match ${pattern}.${hint}${cut}`, { data, display: { kind: "list", items: [] } })
  }
  const note = isTruncated ? `The newest ${most} of ${found.count} files; narrow the pattern to see others.` : undefined
  return answered(`${filenames.join("\n")}${note ? `\n[${note}]` : ""}${cut}`, {
    data,
    display: { kind: "list", items: filenames, ...(note && { note }) },
  })
}

/** Shows a folder and everything below it, as a tree. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { Files } from "#ground/workspace/files.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import type { FoundTree, Search } from "#ground/workspace/search/search.ts"
import type { TreeFolder } from "#ground/workspace/search/tree.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { saySearch } from "./say-search.ts"
import { shownPath } from "./shown-path.ts"

export interface LsGround {
  readonly search: Search
  readonly files: Files
  readonly paths: Paths
  readonly places: Places
}

export interface LsInput {
  readonly path: string
  readonly ignore: string[]
}

const most = 1000

const input = shape.object({
  path: shape.string().default(".").describe("The folder"),
  ignore: shape.array(shape.string()).default([]).describe("Globs of what to leave out"),
})

export const lsTool = (ground: LsGround): Tool<LsInput> =>
  defineTool({
    name: "LS",
    gathers: "folder",
    description,
    input,
    title: ({ path }) => `LS ${shownPath(ground.paths, path)}`,
    footprint: (call) => reads(ground.places.declare(call, call.path)),
    validate: async ({ path }) => {
      const resolved = ground.paths.resolve(path)
      return resolved.ok ? undefined : fileComplaint(resolved.failure)
    },
    async run(call, { signal }) {
      const place = ground.places.of(call, call.path)
      if (!place.ok) return refusedFile(place.failure)
      const state = ground.files.stat(place.value.real)
      if (state.ok) return refused(`${place.value.path} is a file; Read shows it.`)
      if (state.failure.kind !== "is_folder") return refusedFile(state.failure)
      const found = await ground.search.tree({ folder: place.value.path, ignore: call.ignore, most, signal })
      return found.ok ? show(place.value, found.value) : refused(saySearch(found.failure))
    },
  })

const description = `Shows a folder as a tree, at most ${most} entries, without what .gitignore leaves out. To find files by name use Glob.`

function show({ path }: Place, { root, shown, total, cut }: FoundTree): Outcome {
  const data = { path, numEntries: shown, totalEntries: total, truncated: shown < total || cut !== "no" }
  const early =
    cut === "no" ? [] : ["[The search was ended early: there are too many files. Look in a smaller folder.]"]
  if (total === 0)
    return answered([`${path} is empty, but for what .gitignore or ignore leaves out.`, ...early].join("\n"), { data })
  const lines = linesOf({ ...root, name: path }, "")
  const note = shown < total ? `${shown} of ${total} entries; LS a folder, or use Glob, to see others.` : undefined
  return answered([...lines, ...(note ? [`[${note}]`] : []), ...early].join("\n"), {
    data,
    display: { kind: "list", items: lines, ...(note && { note }) },
  })
}

function linesOf({ name, folders, links, files, left }: TreeFolder, indent: string): string[] {
  const inner = `${indent}  `
  const isBare = folders.length + links.length + files.length === 0
  const more = left === 0 ? [] : [`${inner}… ${left} more`]
  // A folder whose content is not shown says so on its own line.
  if (isBare) return [`${indent}${plain(name)}/ (${left === 0 ? "empty" : `${left} inside`})`]
  return [
    `${indent}${plain(name)}/`,
    ...folders.flatMap((folder) => linesOf(folder, inner)),
    ...links.map((link) => `${inner}${plain(link)} (link)`),
    ...files.map((file) => inner + plain(file)),
    ...more,
  ]
}

/** A name with a line break in it must not look like two. */
const plain = (name: string): string => (/[\p{Cc}--[\x7f-\x9f]]/v.test(name) ? JSON.stringify(name) : name)

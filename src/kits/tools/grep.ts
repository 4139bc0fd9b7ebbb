/** Searches the contents of files. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { Files } from "#ground/workspace/files.ts"
import { splitGlobs } from "#ground/workspace/search/glob.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Places } from "#ground/workspace/places.ts"
import type { ContentQuery, Search } from "#ground/workspace/search/search.ts"
import type { RipgrepOutput } from "#ground/workspace/search/ripgrep.ts"
import type { JsonObject } from "#lib/json.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { counted } from "./counted.ts"
import { saySearch } from "./say-search.ts"

export interface GrepGround {
  readonly search: Search
  readonly files: Files
  readonly paths: Paths
  readonly places: Places
  readonly cwd: () => string
}

export interface GrepInput {
  readonly pattern: string
  readonly path?: string | undefined
  readonly glob?: string | undefined
  readonly type?: string | undefined
  readonly output_mode: "files_with_matches" | "content" | "count"
  readonly "-A"?: number | undefined
  readonly "-B"?: number | undefined
  readonly "-C"?: number | undefined
  readonly "-n": boolean
  readonly "-i": boolean
  readonly multiline: boolean
  readonly head_limit: number
  readonly offset: number
}

const lines = shape.int().min(0).max(1000).optional()

const input = shape.object({
  pattern: shape.string().describe("Regular expression (ripgrep syntax; escape literal braces)"),
  path: shape.string().optional().describe("File or folder to search; the working folder if not given"),
  glob: shape.string().optional().describe("Only files like this: *.js, src/**/*.{ts,tsx}"),
  type: shape.string().optional().describe("Only this file type: js, py, rust, go"),
  output_mode: shape.choice(["files_with_matches", "content", "count"]).default("files_with_matches"),
  "-A": lines.describe("Lines after each match (content)"),
  "-B": lines.describe("Lines before each match (content)"),
  "-C": lines.describe("Lines before and after (content)"),
  "-n": shape.boolean().default(true).describe("Line numbers (content)"),
  "-i": shape.boolean().default(false).describe("Ignore case"),
  multiline: shape.boolean().default(false).describe("Let the pattern span lines, and . match line ends"),
  head_limit: shape.int().min(0).default(250).describe("Show at most so many lines or files; 0 for as many as fit"),
  offset: shape.int().min(0).default(0).describe("Skip so many of them first"),
})

export const grepTool = (ground: GrepGround): Tool<GrepInput> =>
  defineTool({
    name: "Grep",
    gathers: "pattern",
    description,
    input,
    title: ({ pattern, path }) => `Grep ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    footprint: (call) => reads(ground.places.declare(call, call.path ?? ".")),
    validate: async ({ path }) => {
      const resolved = ground.paths.resolve(path ?? ".")
      return resolved.ok ? undefined : fileComplaint(resolved.failure)
    },
    async run(call, { signal }) {
      const place = ground.places.of(call, call.path ?? ".")
      if (!place.ok) return refusedFile(place.failure)
      const state = ground.files.stat(place.value.real)
      if (!state.ok && state.failure.kind !== "is_folder") return refusedFile(state.failure)
      const query: ContentQuery = {
        pattern: call.pattern,
        path: place.value.path,
        isFolder: !state.ok,
        cwd: ground.cwd(),
        globs: splitGlobs(call.glob ?? ""),
        type: call.type,
        ignoreCase: call["-i"],
        multiline: call.multiline,
        signal,
      }
      return searches[call.output_mode](ground, call, query)
    },
  })

const description = `Searches file contents with ripgrep. Use this, never grep or rg in Bash.
- output_mode: files_with_matches lists files, newest first (default); content shows the lines; count counts them per file.
- Files that .gitignore leaves out are not searched; dotfiles only when glob or path names them. Narrow a search with glob, type or path.
- Lines are matched one by one unless multiline is set.`

type SearchMode = (ground: GrepGround, call: GrepInput, query: ContentQuery) => Promise<Outcome>

const searches: { readonly [M in GrepInput["output_mode"]]: SearchMode } = {
  async files_with_matches({ search, paths }, call, query) {
    const found = await search.matching({ ...query, most: call.offset + mostRows(call) })
    if (!found.ok) return refused(saySearch(found.failure))
    const shown = fitting(found.value.paths.slice(call.offset).map(paths.show))
    const page: GrepPage = { shown, offset: call.offset, total: found.value.count }
    const data = { mode: call.output_mode, numFiles: page.shown.length, filenames: page.shown }
    return show(page, "files", found.value.cut, data)
  },
  async content({ search, paths }, call, query) {
    const around = { before: call["-B"] ?? call["-C"] ?? 0, after: call["-A"] ?? call["-C"] ?? 0 }
    const found = await search.lines({
      ...query,
      around,
      offset: call.offset,
      most: mostRows(call),
      characters: mostCharacters,
      row(path, { kind, number, text }) {
        const mark = kind === "match" ? ":" : "-"
        return `${paths.show(path)}${mark}${call["-n"] ? `${number}${mark}` : ""}${text}`
      },
    })
    if (!found.ok) return refused(saySearch(found.failure))
    const { rows, files, total, isMore, cut } = found.value
    const data = {
      mode: call.output_mode,
      numFiles: files,
      filenames: found.value.paths.map(paths.show),
      content: rows.join("\n"),
      numLines: rows.length,
    }
    return show({ shown: rows, offset: call.offset, total, isMore }, "lines", cut, data)
  },
  async count({ search, paths }, call, query) {
    const found = await search.counts({ ...query, most: call.offset + mostRows(call) })
    if (!found.ok) return refused(saySearch(found.failure))
    const { files, total, lines: numMatches, cut } = found.value
    const shown = fitting(files.slice(call.offset).map(({ path, count }) => `${paths.show(path)}:${count}`))
    const data = { mode: call.output_mode, numFiles: total, filenames: [], content: shown.join("\n"), numMatches }
    const summary = `[${counted(numMatches, "matching line")} in ${counted(total, "file")}]`
    return show({ shown, offset: call.offset, total }, "files", cut, data, summary)
  },
}

/** What fits into a result; all that is asked for beyond it has an offset. */
const mostCharacters = 95_000
const mostUnlimited = 10_000

const mostRows = ({ head_limit }: GrepInput): number => (head_limit === 0 ? mostUnlimited : head_limit)

function fitting(rows: readonly string[]): readonly string[] {
  let characters = 0
  const end = rows.findIndex((row) => (characters += row.length + 1) > mostCharacters)
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

interface GrepPage {
  readonly shown: readonly string[]
  readonly offset: number
  readonly total: number
  /** There are more than `total`. */
  readonly isMore?: boolean
}

function show(
  { shown, offset, total, isMore = false }: GrepPage,
  what: "files" | "lines",
  cut: RipgrepOutput["cut"],
  data: JsonObject,
  summary?: string,
): Outcome {
  const early = {
    no: undefined,
    time: "[The search took too long and was ended; there may be more.]",
    size: "[There is too much to collect, so the search was ended; narrow it.]",
  }[cut]
  const last = offset + shown.length
  const all = isMore ? `more than ${total}` : `${total}`
  const next =
    last < total || isMore ? `[${what} ${offset + 1} to ${last} of ${all}; continue with offset ${last}]` : undefined
  const notes = [summary, next, early].filter((note) => note !== undefined)
  const nothing = { data, display: { kind: "list", items: [] } } as const
  if (total === 0) return answered(["No matches.", ...notes.slice(summary ? 1 : 0)].join("\n"), nothing)
  if (shown.length === 0) return answered(`Nothing from offset ${offset} on; there are ${total} ${what}.`, nothing)
  return answered([...shown, ...notes].join("\n"), {
    data,
    display: { kind: "list", items: shown, ...(next && { note: next }) },
  })
}

/** Finds files by name and by content. `.gitignore` counts, in a repository or not; `.git` is never searched. */

import { dirname } from "node:path"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import { type AgesBelow, type Ages, openAges } from "./ages.ts"
import { collectByAge } from "./by-age.ts"
import { globFilter, ignoreGlobs, nameGlobs, namesDotfiles } from "./glob.ts"
import { comparePaths, type FoundPage, type LinePageQuery, searchLines } from "./line-search.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { OnRecords, Ripgrep, RipgrepOutput, SearchFailure } from "./ripgrep.ts"
import { type FolderTree, treeOf } from "./tree.ts"

export interface FileQuery {
  /** The folder the pattern is relative to. */
  readonly folder: string
  readonly pattern: string
  readonly most: number
  readonly signal: AbortSignal
}

export interface TreeQuery {
  readonly folder: string
  /** Globs to leave out: names, or, with a slash, paths from the folder. */
  readonly ignore: readonly string[]
  readonly most: number
  readonly signal: AbortSignal
}

export interface FoundTree extends FolderTree {
  readonly cut: RipgrepOutput["cut"]
}

export interface FoundFiles {
  /** Absolute paths, newest first. */
  readonly paths: readonly string[]
  /** How many there are, shown or not. */
  readonly count: number
  readonly cut: RipgrepOutput["cut"]
}

export interface ContentQuery {
  readonly pattern: string
  readonly path: string
  readonly isFolder: boolean
  /** The folder that globs may be relative to, besides the searched one. */
  readonly cwd: string
  readonly globs: readonly string[]
  readonly type: string | undefined
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly signal: AbortSignal
}

/** How many lines around a match are shown. */
export interface ContextLines {
  readonly before: number
  readonly after: number
}

export interface Search {
  readonly files: (query: FileQuery) => Promise<Result<FoundFiles, SearchFailure>>
  /** What is in a folder and below it, including dotfiles. */
  readonly tree: (query: TreeQuery) => Promise<Result<FoundTree, SearchFailure>>
  readonly matching: (query: ContentQuery & { readonly most: number }) => Promise<Result<FoundFiles, SearchFailure>>
  /** A page of the lines, by path. */
  readonly lines: (query: LinesQuery) => Promise<Result<FoundPage, SearchFailure>>
  readonly counts: (query: ContentQuery & { readonly most: number }) => Promise<Result<FoundCounts, SearchFailure>>
}

export interface LinesQuery extends ContentQuery, Omit<LinePageQuery, "hasBreaks"> {
  readonly around: ContextLines
}

export interface FoundCounts {
  /** The first by path, at most as many as wanted. */
  readonly files: readonly { readonly path: string; readonly count: number }[]
  /** How many files there are, shown or not, and how many matching lines in all of them. */
  readonly total: number
  readonly lines: number
  readonly cut: RipgrepOutput["cut"]
}

export interface SearchOptions {
  readonly ripgrep: Ripgrep
  /** Files in a folder that are never reported, such as those a rule hides. */
  readonly hiddenIn: (folder: string) => (path: string) => boolean
  readonly timeoutMs: number
}

interface Wanted {
  readonly isWanted: (path: string) => boolean
  /** The common parent of all paths; undefined when a single file is searched. */
  readonly folder: string | undefined
  readonly most: number
}

/** With this many files, a quicker way to learn their ages is worth opening. */
const many = 500
/** Of a tree, which is held as a whole. */
const mostBytes = 32_000_000
/** What is looked at as it comes, and not kept, may be any size. */
const anySize = Number.POSITIVE_INFINITY
/** So many more counts than wanted are held before the last are dropped. */
const spareCounts = 2_000
/** ripgrep cuts longer lines, with a note. */
const columns = 500

export function openSearch({ ripgrep, hiddenIn, timeoutMs }: SearchOptions): Search {
  /** Links below a folder are not followed, but the folder may be reached through one. */
  function shownBelow(folder: string): (path: string) => boolean {
    const real = realPath(folder)
    const isHidden = hiddenIn(folder)
    const isReallyHidden = real === folder ? undefined : hiddenIn(real)
    return (path) =>
      // What is left of a path with a line break in it lies elsewhere, and could be of any file.
      path.startsWith(folder) &&
      !path.includes("/.git/") &&
      !isHidden(path) &&
      !isReallyHidden?.(real + path.slice(folder.length))
  }

  function wantedBy(query: ContentQuery): (path: string) => boolean {
    const isShown = shownBelow(query.path)
    const filter = globFilter(query.globs, [query.isFolder ? query.path : dirname(query.path), query.cwd])
    const withDotfiles = !query.isFolder || query.globs.some(namesDotfiles)
    return (path) => isShown(path) && filter(path) && (withDotfiles || !isDotfile(path))
  }

  let ages: Promise<Ages> | undefined

  /** Runs a search that prints paths, and looks up the age of each as it arrives: during the search, not after it. */
  async function newestOf(
    { isWanted, folder, most }: Wanted,
    run: (onRecords: OnRecords) => ReturnType<Ripgrep>,
  ): Promise<Result<FoundFiles, SearchFailure>> {
    let below: AgesBelow | undefined
    let opening: Promise<void> | undefined
    const found = collectByAge(isWanted, quickOnceMany, most)
    function quickOnceMany(): AgesBelow | undefined {
      if (folder !== undefined && found.count() >= many)
        opening ??= (ages ??= openAges()).then((opened) => void (below = opened.below(folder)))
      return below
    }
    const searched = await run(found.push)
    await opening
    below?.[Symbol.dispose]()
    return searched.ok ? ok({ paths: found.newest(), count: found.count(), cut: searched.value.cut }) : searched
  }

  const grep = (query: ContentQuery, more: readonly string[], onRecords: OnRecords, recordEnd?: "\n") =>
    ripgrep({
      argv: [...contentArguments(query), ...more, "-e", query.pattern, "--", query.path],
      cwd: query.isFolder ? query.path : dirname(query.path),
      timeoutMs,
      mostBytes: anySize,
      signal: query.signal,
      onRecords,
      ...optional("recordEnd", recordEnd),
    })

  return {
    async files({ folder, pattern, most, signal }) {
      const hidden = namesDotfiles(pattern) ? ["--hidden", "--glob=!.git"] : []
      const argv = ["--files", "--null", ...hidden, ...onlyNamed(plainNames([pattern])), "--", folder]
      const glob = new Bun.Glob(pattern)
      const below = folder.endsWith("/") ? folder : `${folder}/`
      const isShown = shownBelow(folder)
      const isWanted = (path: string): boolean =>
        glob.match(path.slice(below.length)) && isShown(path) && (hidden.length > 0 || !isDotfile(path))
      return newestOf({ isWanted, folder, most }, (onRecords) =>
        ripgrep({ argv, cwd: folder, timeoutMs, mostBytes: anySize, signal, onRecords }),
      )
    },
    async tree({ folder, ignore, most, signal }) {
      const globs = ignoreGlobs(ignore, folder)
      const argv = [
        "--files",
        "--null",
        "--hidden",
        ...[".git", ...globs].map((glob) => `--glob=!${glob}`),
        "--",
        folder,
      ]
      const listed = await ripgrep({ argv, cwd: folder, timeoutMs, mostBytes, signal })
      if (!listed.ok) return listed
      const isIgnored = globs.length === 0 ? () => false : globFilter(globs, [folder])
      const isShown = shownBelow(folder)
      const isWanted = (path: string): boolean => isShown(path) && !isIgnored(path)
      const files = records(listed.value.text).filter(isShown)
      return ok({ ...treeOf({ folder, files, isWanted, most }), cut: listed.value.cut })
    },
    matching: ({ most, ...query }) =>
      newestOf({ isWanted: wantedBy(query), folder: query.isFolder ? query.path : undefined, most }, (onRecords) =>
        grep(query, ["--files-with-matches"], onRecords),
      ),
    lines: ({ around, offset, most, characters, row, ...query }) =>
      searchLines({
        offset,
        most,
        characters,
        row,
        hasBreaks: around.before + around.after > 0,
        isWanted: wantedBy(query),
        run: ({ order, perFile, onRecords }) =>
          grep(query, [...lineArguments(around), ...pageArguments(query, order, perFile)], onRecords, "\n"),
      }),
    async counts({ most, ...query }) {
      const isWanted = wantedBy(query)
      let files: { readonly path: string; readonly count: number }[] = []
      let total = 0
      let lines = 0
      const cutBack = (): void => void (files = files.sort((a, b) => comparePaths(a.path, b.path)).slice(0, most))
      const found = await grep(
        query,
        ["--count"],
        (records) => {
          for (const line of records.toString("utf8").split("\n")) {
            const [path = "", count = ""] = line.split("\0")
            if (count === "" || !isWanted(path)) continue
            files.push({ path, count: Number(count) })
            total++
            lines += Number(count)
          }
          if (files.length > most * 2 + spareCounts) cutBack()
        },
        "\n",
      )
      if (!found.ok) return found
      cutBack()
      return ok({ files, total, lines, cut: found.value.cut })
    },
  }
}

const lineArguments = ({ before, after }: ContextLines): readonly string[] => [
  "--line-number",
  "--no-heading",
  `--max-columns=${columns}`,
  "--max-columns-preview",
  `--before-context=${before}`,
  `--after-context=${after}`,
]

/** Sorting makes ripgrep search with one core, which pays only where little has to be searched. */
function pageArguments({ multiline }: ContentQuery, order: "paths" | "any", perFile: number): readonly string[] {
  if (order === "paths") return ["--sort=path"]
  // Several matches that span lines may be on one line, so there is no telling how many are needed.
  return multiline ? [] : [`--max-count=${perFile}`]
}

function contentArguments({ globs, type, ignoreCase, multiline }: ContentQuery): string[] {
  const only = type === undefined ? plainNames(globs) : []
  return [
    "--null",
    "--with-filename",
    "--crlf",
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(globs.some(namesDotfiles) ? ["--hidden", "--glob=!.git"] : []),
    ...globs.filter((glob) => glob.startsWith("!")).map((glob) => `--glob=${glob}`),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...onlyNamed(only),
  ]
}

/** A positive --glob would bring back what .gitignore leaves out; a file type does not. */
const onlyNamed = (globs: readonly string[]): string[] =>
  globs.length === 0 ? [] : [...globs.map((glob) => `--type-add=wanted:${glob}`), "--type=wanted"]

/** The names that globs end with, where ripgrep certainly reads them as we do; none where it may not. */
function plainNames(globs: readonly string[]): string[] {
  const names = nameGlobs(globs)
  return names.every((name) => name !== "*" && plainName.test(name)) ? names : []
}

/** Stars and one level of braces without empty choices; ripgrep reads the rest in its own ways. */
const plainName = /^[\w.*+ @~-]*(?:\{[\w.*+ @~-]+(?:,[\w.*+ @~-]+)*\}[\w.*+ @~-]*)*$/

/** ripgrep shows dotfiles of a type it was told to look for. */
const isDotfile = (path: string): boolean => path.charCodeAt(path.lastIndexOf("/") + 1) === 46

const records = (text: string): string[] => text.split("\0").filter((path) => path !== "")

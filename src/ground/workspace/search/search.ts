/** Finds files by name and by content. `.gitignore` counts, in a repository or not; `.git` is never searched. */

import { dirname } from "node:path"
import { ok, type Result } from "#lib/result.ts"
import { type AgesBelow, type Ages, openAges } from "./ages.ts"
import { collectByAge } from "./by-age.ts"
import { globFilter, ignoreGlobs, nameGlobs, namesDotfiles } from "./glob.ts"
import { type FoundIn, passagesByFile } from "./found-lines.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Ripgrep, RipgrepOutput, SearchFailure } from "./ripgrep.ts"
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
  readonly lines: (
    query: ContentQuery & { readonly around: ContextLines },
  ) => Promise<Result<{ readonly files: readonly FoundIn[]; readonly cut: RipgrepOutput["cut"] }, SearchFailure>>
  readonly counts: (query: ContentQuery) => Promise<Result<FoundCounts, SearchFailure>>
}

export interface FoundCounts {
  readonly files: readonly { readonly path: string; readonly count: number }[]
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
const mostBytes = 32_000_000
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
    run: (take: (records: Buffer) => void) => ReturnType<Ripgrep>,
  ): Promise<Result<FoundFiles, SearchFailure>> {
    let below: AgesBelow | undefined
    let opening: Promise<void> | undefined
    const found = collectByAge(isWanted, quickOnceMany)
    function quickOnceMany(): AgesBelow | undefined {
      if (folder !== undefined && found.count() >= many)
        opening ??= (ages ??= openAges()).then((opened) => void (below = opened.below(folder)))
      return below
    }
    const searched = await run(found.push)
    await opening
    below?.[Symbol.dispose]()
    return searched.ok ? ok({ paths: found.newest(most), count: found.count(), cut: searched.value.cut }) : searched
  }

  const grep = (query: ContentQuery, more: readonly string[], take?: (records: Buffer) => void) =>
    ripgrep({
      argv: [...contentArguments(query), ...more, "-e", query.pattern, "--", query.path],
      cwd: query.isFolder ? query.path : dirname(query.path),
      timeoutMs,
      mostBytes,
      signal: query.signal,
      onRecords: take,
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
      return newestOf({ isWanted, folder, most }, (take) =>
        ripgrep({ argv, cwd: folder, timeoutMs, mostBytes, signal, onRecords: take }),
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
      newestOf({ isWanted: wantedBy(query), folder: query.isFolder ? query.path : undefined, most }, (take) =>
        grep(query, ["--files-with-matches"], take),
      ),
    async lines({ around, ...query }) {
      const found = await grep(query, [
        "--line-number",
        "--no-heading",
        `--max-columns=${columns}`,
        "--max-columns-preview",
        `--before-context=${around.before}`,
        `--after-context=${around.after}`,
      ])
      if (!found.ok) return found
      const { text, cut } = found.value
      const isWanted = wantedBy(query)
      return ok({
        files: passagesByFile(text)
          .filter(({ path }) => isWanted(path))
          .sort(byPath),
        cut,
      })
    },
    async counts(query) {
      const found = await grep(query, ["--count"])
      if (!found.ok) return found
      const { text, cut } = found.value
      const isWanted = wantedBy(query)
      const files = text.split("\n").flatMap((line) => {
        const [path = "", count = ""] = line.split("\0")
        return count !== "" && isWanted(path) ? [{ path, count: Number(count) }] : []
      })
      return ok({ files: files.sort(byPath), cut })
    },
  }
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

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1)

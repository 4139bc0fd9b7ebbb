/** What glob patterns say about where to look and which files are meant. */

import { basename, relative } from "node:path"

/** Splits a pattern into its fixed folder and the rest: `src/app/**` into `src/app` and `**`. */
export function splitPattern(pattern: string): { readonly folder: string; readonly rest: string } {
  const segments = pattern.split("/")
  const firstMagic = segments.findIndex((segment) => /[*?[\]{}!\\]/.test(segment))
  // The last segment is what to look for, even when it is a plain name.
  const folders = segments.slice(0, firstMagic === -1 ? -1 : firstMagic)
  const rest = segments.slice(folders.length).join("/")
  const folder = folders.length === 1 && folders[0] === "" ? "/" : folders.join("/")
  return { folder, rest: rest === "" ? "**" : rest }
}

/** Whether a pattern could leave the folder it starts in: up by dots, or to the root, after a wildcard or in braces. */
export function leavesFolder(pattern: string): boolean {
  const { rest } = splitPattern(pattern)
  const plain = rest.replace(/\[\.\]|\\\./g, ".")
  return /(?:^|[/{,])\.\.(?:[/},]|$)|[{,][/~]/.test(plain)
}

/** Whether a pattern names something with a leading dot, so that dotfiles are meant. */
export function namesDotfiles(pattern: string): boolean {
  return /(?:^|[/{,!])\.(?!\.?(?:\/|$))/.test(pattern)
}

/** Split at spaces or commas, except within braces. */
export function splitGlobs(globs: string): string[] {
  const parts = [""]
  let depth = 0
  for (const character of globs) {
    if (character === "{") depth++
    if (character === "}") depth--
    if (depth <= 0 && /[\s,]/.test(character)) parts.push("")
    else parts.push((parts.pop() ?? "") + character)
  }
  return parts.filter((part) => part !== "")
}

/** Globs on file names that narrow a search as far as names alone can; none when they cannot. */
export function nameGlobs(globs: readonly string[]): string[] {
  const names = positive(globs).map((glob) => glob.slice(glob.lastIndexOf("/") + 1))
  const isPlain = (name: string): boolean => name !== "" && name !== "**" && isBalanced(name)
  return names.every(isPlain) ? names : []
}

/** A glob without a slash matches the name, others the path from a folder. */
export function globFilter(globs: readonly string[], folders: readonly string[]): (path: string) => boolean {
  const wanted = positive(globs).map((pattern) => ({
    glob: new Bun.Glob(pattern.replace(/^\.?\//, "").replace(/\/$/, "/**")),
    isName: !pattern.includes("/"),
  }))
  if (wanted.length === 0) return () => true
  return (path) =>
    wanted.some(({ glob, isName }) =>
      isName ? glob.match(basename(path)) : folders.some((folder) => glob.match(relative(folder, path))),
    )
}

/** Globs of what to leave out, as ripgrep takes them: without a mark that would turn them round, paths from the folder. */
export function ignoreGlobs(globs: readonly string[], folder: string): string[] {
  return globs
    .map((glob) => glob.trim().replace(/^!+/, ""))
    .map((glob) => (glob.startsWith(`${folder}/`) ? glob.slice(folder.length) : glob.replace(/^\.\//, "/")))
    .filter((glob) => glob !== "" && glob !== "/")
}

const positive = (globs: readonly string[]): string[] => globs.filter((glob) => !glob.startsWith("!"))

const isBalanced = (glob: string): boolean => glob.split("{").length === glob.split("}").length

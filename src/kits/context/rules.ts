/** Rules: memory files in a folder of their own, which may say for which files they are. */

import { join, relative } from "node:path"
import type { TextFiles } from "#ground/workspace/text-files.ts"
import { decodeFrontMatter } from "#ground/extensions/decode-front-matter.ts"
import { meansPath } from "#lib/glob.ts"

const folders = [".claude/rules", ".codewright/rules"] as const

/** The rule files of a project's folder. */
export const rulesIn = (folder: string, files: TextFiles): readonly string[] =>
  folders.flatMap((each) => rulesBelow(join(folder, each), files))

const deepest = 8

/** The rule files below a folder, sorted by name, those of its subfolders after its own. */
export function rulesBelow(folder: string, files: TextFiles, depth = 0): readonly string[] {
  const names = files.names(folder)
  const own = names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name))
  if (depth === deepest) return own
  // What is no folder has no names.
  const below = names.filter((name) => !/\.\w+$/.test(name))
  return [...own, ...below.flatMap((name) => rulesBelow(join(folder, name), files, depth + 1))]
}

/** What a rule says, and for which files; without `paths`, or with front matter that cannot be read, it is for all. */
export function readRule(text: string): { readonly text: string; readonly paths: readonly string[] | undefined } {
  const head = decodeFrontMatter("rule", text)
  if (!head.ok) return { text, paths: undefined }
  const globs = head.value.list("paths") ?? []
  return { text: head.value.body, paths: globs.length === 0 ? undefined : globs }
}

/** Whether a rule is about a file. */
export function isAbout(rule: { readonly paths: readonly string[]; readonly base: string }, file: string): boolean {
  const path = relative(rule.base, file)
  if (path.startsWith("..")) return false
  return meansPath(rule.paths, path)
}

/** Rules: memory files in their own folder, which can say which files they apply to. */

import { join, relative } from "node:path"
import type { TextFiles } from "#ground/workspace/text-files.ts"
import { decodeFrontMatter } from "#ground/extensions/decode-front-matter.ts"
import { meansPath } from "#lib/glob.ts"

const folders = [".claude/rules", ".codewright/rules"] as const

export const rulesIn = (folder: string, files: TextFiles): readonly string[] =>
  folders.flatMap((each) => rulesBelow(join(folder, each), files))

const deepest = 8

/** The rule files below a folder, sorted by name, those of its subfolders after its own. */
export function rulesBelow(folder: string, files: TextFiles, depth = 0): readonly string[] {
  const names = files.names(folder)
  const own = names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name))
  if (depth === deepest) return own
  // Names with an extension are not folders.
  const below = names.filter((name) => !/\.\w+$/.test(name))
  return [...own, ...below.flatMap((name) => rulesBelow(join(folder, name), files, depth + 1))]
}

/** The text of a rule, and which files it is for; for all without `paths`, or with unreadable front matter. */
export function readRule(text: string): { readonly text: string; readonly paths: readonly string[] | undefined } {
  const head = decodeFrontMatter("rule", text)
  if (!head.ok) return { text, paths: undefined }
  const globs = head.value.list("paths") ?? []
  return { text: head.value.body, paths: globs.length === 0 ? undefined : globs }
}

export function isAbout(rule: { readonly paths: readonly string[]; readonly base: string }, file: string): boolean {
  const path = relative(rule.base, file)
  if (path.startsWith("..")) return false
  return meansPath(rule.paths, path)
}

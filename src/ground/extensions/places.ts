/** The folders with extensions, nearest first. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import type { PluginFolders } from "./plugins.ts"
import { foldersUpTo } from "#lib/folders-up-to.ts"

export type ExtensionKind = "commands" | "skills" | "output-styles"

export interface ExtensionPlace {
  readonly cwd: string
  readonly root: string
  readonly home: string
  readonly stateFolder: string
  readonly claudeFolder: string
  /** Projects within the project, whose extensions count as well. */
  readonly inner?: () => readonly string[]
  readonly plugins?: readonly PluginFolders[]
  /** All when absent. */
  readonly sources?: readonly ("project" | "user")[]
}

export interface ExtensionFolder {
  readonly path: string
  readonly source: "project" | "user"
}

/** Existing folders only. The first of a name wins. */
export const extensionFolders = (place: ExtensionPlace, kind: ExtensionKind): readonly ExtensionFolder[] =>
  possibleFolders(place, kind).filter(({ path }) => existsSync(path))

/** Where there may be some. */
export function possibleFolders(place: ExtensionPlace, kind: ExtensionKind): readonly ExtensionFolder[] {
  const own = [".codewright", ".claude", ...(kind === "skills" ? [".agents"] : [])]
  const projects = [...foldersUpTo(place.cwd, place.root), ...(place.inner?.() ?? [])]
  const project = projects.flatMap((folder) => own.map((name) => join(folder, name, kind)))
  const user = [
    join(place.stateFolder, kind),
    join(place.claudeFolder, kind),
    ...(kind === "skills" ? [join(place.home, ".agents", kind)] : []),
  ]
  const seen = new Set<string>()
  const folders = [
    // Whoever works at home finds their own folders on the way up: they are theirs all the same.
    ...project.filter((path) => !user.includes(path)).map((path) => ({ path, source: "project" as const })),
    ...user.map((path) => ({ path, source: "user" as const })),
  ]
  return folders
    .filter(({ source }) => place.sources?.includes(source) ?? true)
    .filter(({ path }) => !seen.has(path) && seen.add(path))
}

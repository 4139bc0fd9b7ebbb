/** Memory files: instructions people wrote for the agent, found by name from the widest scope to the nearest. */

import { dirname, join, resolve } from "node:path"
import { isBelow } from "#lib/lies-in.ts"
import type { TextFiles } from "#ground/workspace/text-files.ts"
import { importsIn } from "./imports.ts"
import { readRule, rulesBelow, rulesIn } from "./rules.ts"

export interface MemoryPlace {
  readonly cwd: string
  /** The root of the repository, or the working folder if there is none. */
  readonly root: string
  readonly home: string
  readonly added: readonly string[]
  /** Files of the managed policy, then of the user, in order. */
  readonly managed: readonly string[]
  readonly user: readonly string[]
  readonly userRules: readonly string[]
  readonly excludes: readonly string[]
  /** Whose files are loaded besides those of the managed policy; all when absent. */
  readonly sources?: readonly MemorySource[]
}

/** `local`: the user's own file in the project. */
export type MemorySource = "user" | "project" | "local"

export interface MemoryFile {
  readonly path: string
  readonly real: string
  readonly text: string
  readonly from: "managed" | "user" | "project"
  readonly importedBy?: string
}

/** A file that counts only when matching files are touched; globs are relative to `base`. */
export interface MemoryRule extends MemoryFile {
  readonly paths: readonly string[]
  readonly base: string
}

export interface MemoryGround {
  readonly files: TextFiles
  /** What a deny rule hides is not shown here either. */
  readonly isHidden: (path: string) => boolean
  /** Whether a project's file may import from outside of the workspace. */
  readonly mayImport: (real: string) => boolean
}

export interface Memory {
  readonly files: readonly MemoryFile[]
  readonly rules: readonly MemoryRule[]
  /** Imports of the project's files from outside that nobody has decided about. */
  readonly outside: readonly string[]
}

const localName = "CLAUDE.local.md"
const namesInFolder = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", ".codewright/AGENTS.md", localName] as const
const deepest = 5

export function loadMemory(place: MemoryPlace, ground: MemoryGround): Memory {
  const load = openLoad(place, ground)
  for (const path of place.managed) load.file(path, "managed")
  if (isLoaded(place, "user")) {
    for (const path of place.user) load.file(path, "user")
    for (const folder of place.userRules) load.userRules(folder)
  }
  for (const folder of foldersBetween(place.root, place.cwd)) load.folder(folder)
  return load.done()
}

/** What the folders below the working folder add, down to that of a touched file. */
export function loadNested(file: string, place: MemoryPlace, ground: MemoryGround): Memory {
  const load = openLoad(place, ground)
  if (isBelow(file, place.cwd))
    for (const folder of foldersBetween(place.cwd, dirname(file)).slice(1)) load.folder(folder)
  return load.done()
}

const isLoaded = ({ sources }: MemoryPlace, source: MemorySource): boolean => sources?.includes(source) ?? true

/** From the first down to the second, inclusive; only the second if it is not below the first. */
function foldersBetween(top: string, bottom: string): readonly string[] {
  if (top === bottom || !isBelow(bottom, top)) return [bottom]
  return [...foldersBetween(top, dirname(bottom)), bottom]
}

interface Load {
  readonly file: (path: string, from: MemoryFile["from"]) => void
  readonly folder: (folder: string) => void
  readonly userRules: (folder: string) => void
  readonly done: () => Memory
}

function openLoad(place: MemoryPlace, { files, isHidden, mayImport }: MemoryGround): Load {
  const seen = new Set<string>()
  const found: MemoryFile[] = []
  const rules: MemoryRule[] = []
  const outside = new Set<string>()
  const excludes = place.excludes.map((pattern) => new Bun.Glob(pattern))
  const roots = [place.root, place.cwd, ...place.added]

  const isInside = (real: string): boolean => roots.some((root) => real === root || isBelow(real, root))

  /** The file, unless it was already loaded under another name, is hidden, or is out of reach for a project's file. */
  function open(path: string, from: MemoryFile["from"], importedBy?: string): MemoryFile | undefined {
    const read = files.read(path)
    if (!read || seen.has(read.real)) return undefined
    const { real, text } = read
    if (from === "project" && !isInside(real) && !mayImport(real)) {
      outside.add(real)
      return undefined
    }
    if (isHidden(path) || isHidden(real) || excludes.some((glob) => glob.match(path) || glob.match(real)))
      return undefined
    seen.add(real)
    return { path, real, text, from, ...(importedBy !== undefined && { importedBy }) }
  }

  function addImports(file: MemoryFile, depth: number): void {
    if (depth >= deepest) return
    for (const written of importsIn(file.text)) {
      const imported = open(resolvedFrom(dirname(file.path), written, place.home), file.from, file.path)
      if (!imported) continue
      found.push(imported)
      addImports(imported, depth + 1)
    }
  }

  function add(path: string, from: MemoryFile["from"]): void {
    const file = open(path, from)
    if (!file) return
    found.push(file)
    addImports(file, 0)
  }

  function addRule(path: string, base: string, from: MemoryFile["from"]): void {
    const file = open(path, from)
    if (!file) return
    const { text, paths } = readRule(file.text)
    if (paths !== undefined) return void rules.push({ ...file, text, paths, base })
    const plain = { ...file, text }
    found.push(plain)
    addImports(plain, 0)
  }

  return {
    file: add,
    folder(folder) {
      for (const name of namesInFolder)
        if (isLoaded(place, name === localName ? "local" : "project")) add(join(folder, name), "project")
      if (isLoaded(place, "project")) for (const path of rulesIn(folder, files)) addRule(path, folder, "project")
    },
    userRules(folder) {
      for (const path of rulesBelow(folder, files)) addRule(path, place.root, "user")
    },
    done: () => ({ files: found, rules, outside: [...outside] }),
  }
}

function resolvedFrom(folder: string, written: string, home: string): string {
  if (written === "~" || written.startsWith("~/")) return resolve(home, written.slice(2))
  return resolve(folder, written)
}

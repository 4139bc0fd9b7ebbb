/** What is in a folder and below it, as a tree that is cut where it grows too large. */

import { readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { entriesIn } from "#lib/quietly.ts"

/** A folder with its shown entries: folders, then links and files, each by name. */
export interface TreeFolder {
  readonly name: string
  readonly folders: readonly TreeFolder[]
  readonly links: readonly string[]
  readonly files: readonly string[]
  /** How many entries in it are not shown, including everything below them. */
  readonly left: number
}

export interface FolderTree {
  readonly root: TreeFolder
  /** How many entries are shown, of how many. */
  readonly shown: number
  readonly total: number
}

export interface TreeOptions {
  readonly folder: string
  /** Absolute paths of files below the folder. */
  readonly files: readonly string[]
  /** Whether a path that the file list lacks, such as a link or an empty folder, is wanted too. */
  readonly isWanted: (path: string) => boolean
  readonly most: number
}

/** If not everything fits, a folder of many files must not crowd out all others. */
const mostFilesEach = 100

/** Upper levels come before lower ones, so that a large tree is complete from the top. */
export function treeOf({ folder, files, isWanted, most }: TreeOptions): FolderTree {
  const root = grow(folder, files)
  const isTooLarge = countIn(root) > most
  let room = most
  const level = [root]
  for (const branch of level) {
    if (room > 0) addUnseen(branch, isWanted)
    const claimRoom = (count: number): number => {
      const taken = Math.min(count, room)
      room -= taken
      return taken
    }
    const folders = [...branch.folders.values()].sort(byName)
    branch.shownFolders = folders.slice(0, claimRoom(folders.length))
    branch.shownLinks = branch.links.sort().slice(0, claimRoom(branch.links.length))
    const wanted = isTooLarge ? Math.min(branch.files.length, mostFilesEach) : branch.files.length
    branch.shownFiles = branch.files.sort().slice(0, claimRoom(wanted))
    level.push(...branch.shownFolders)
  }
  return { root: cutFrom(root), shown: most - room, total: countIn(root) }
}

interface BuiltFolder {
  readonly name: string
  readonly path: string
  readonly folders: Map<string, BuiltFolder>
  readonly links: string[]
  readonly files: string[]
  shownFolders: readonly BuiltFolder[]
  shownLinks: readonly string[]
  shownFiles: readonly string[]
}

const branchOf = (name: string, path: string): BuiltFolder => ({
  name,
  path,
  folders: new Map(),
  links: [],
  files: [],
  shownFolders: [],
  shownLinks: [],
  shownFiles: [],
})

function grow(folder: string, files: readonly string[]): BuiltFolder {
  const root = branchOf(folder, folder)
  for (const file of files) {
    const names = relative(folder, file).split("/")
    const last = names.pop() ?? ""
    let branch = root
    for (const name of names) {
      const next = branch.folders.get(name) ?? branchOf(name, join(branch.path, name))
      branch.folders.set(name, next)
      branch = next
    }
    branch.files.push(last)
  }
  return root
}

/** Links and empty folders contain no files, so a list of files lacks them. */
function addUnseen(branch: BuiltFolder, isWanted: (path: string) => boolean): void {
  for (const entry of entriesIn(branch.path)) {
    const { name } = entry
    const path = join(branch.path, name)
    if (name === ".git" || branch.folders.has(name)) continue
    if (entry.isSymbolicLink() && isWanted(path)) branch.links.push(name)
    if (entry.isDirectory() && isWanted(path) && isEmptyFolder(path)) branch.folders.set(name, branchOf(name, path))
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}

function countIn({ folders, links, files }: BuiltFolder): number {
  let count = folders.size + links.length + files.length
  for (const folder of folders.values()) count += countIn(folder)
  return count
}

function cutFrom(branch: BuiltFolder): TreeFolder {
  const shown = branch.shownFolders.length + branch.shownLinks.length + branch.shownFiles.length
  const below = branch.shownFolders.reduce((sum, folder) => sum + countIn(folder), 0)
  return {
    name: branch.name,
    folders: branch.shownFolders.map(cutFrom),
    links: branch.shownLinks,
    files: branch.shownFiles,
    left: countIn(branch) - below - shown,
  }
}

const byName = (a: BuiltFolder, b: BuiltFolder): number => (a.name < b.name ? -1 : 1)

/** Where the branches and tags of a repository point, by reading its files: nothing is run for this. */

import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { gitFolders } from "./git.ts"
import { textOfFile } from "#lib/quietly.ts"

/** Names with what they point to, HEAD included; a branch that is checked out is named by HEAD. */
export type GitRefs = ReadonlyMap<string, string>

const mostRefs = 5_000
const mostPackedBytes = 5_000_000

/** Undefined where there is no repository, or too much to read. `root` contains `.git`. */
export function refsOf(root: string): GitRefs | undefined {
  const folders = gitFolders(root)
  if (!folders) return undefined
  const refs = new Map<string, string>()
  try {
    const packed = join(folders.shared, "packed-refs")
    if (sizeOf(packed) > mostPackedBytes) return undefined
    for (const line of (textOfFile(packed) ?? "").split("\n")) {
      const [, hash, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
      if (hash !== undefined && name !== undefined) refs.set(name, hash)
    }
    if (!addLoose(folders.shared, "refs", refs)) return undefined
    refs.set("HEAD", (textOfFile(join(folders.own, "HEAD")) ?? "").trim())
    return refs
  } catch {
    return undefined
  }
}

function addLoose(folder: string, name: string, refs: Map<string, string>): boolean {
  for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
    const inner = `${name}/${entry.name}`
    if (entry.isDirectory() && !addLoose(folder, inner, refs)) return false
    if (entry.isFile() && !entry.name.endsWith(".lock")) refs.set(inner, (textOfFile(join(folder, inner)) ?? "").trim())
    if (refs.size > mostRefs) return false
  }
  return true
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

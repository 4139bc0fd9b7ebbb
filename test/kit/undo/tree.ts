/** A tree of files of every kind for tests of undo, and how it is at a moment, read without any code of ours. */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"

/** Each path with what it is: `f 644 <hash>`, `l <target>`, `d 755`. */
export type TreeState = ReadonlyMap<string, string>

/** Hashes of files by everything the system says of them, of those that were old when they were read. */
export type HashCache = Map<string, string>

export function treeState(root: string, cache?: HashCache): TreeState {
  const states = new Map<string, string>()
  const hash = (path: string): string => {
    const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    const key = [dev, ino, size, mtimeNs, ctimeNs].join(" ")
    const known = cache?.get(key) ?? Bun.hash(readFileSync(path)).toString(36)
    if (Date.now() - Number(ctimeNs / 1_000_000n) > 1000) cache?.set(key, known)
    return known
  }
  const enter = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (name === ".git") continue
      const path = join(folder, name)
      const stats = lstatSync(path)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) states.set(path, `l ${readlinkSync(path)}`)
      else if (stats.isDirectory()) {
        states.set(path, `d ${mode}`)
        enter(path)
      } else states.set(path, `f ${mode} ${hash(path)}`)
    }
  }
  enter(root)
  return states
}

/** When each file was last modified. */
export function treeTimes(root: string, paths: Iterable<string>): ReadonlyMap<string, number> {
  return new Map([...paths].map((path) => [path, lstatSync(path).mtimeMs]))
}

/** Text with both kinds of line ends, binary files, executables, links that lead somewhere and nowhere, ignored files. */
export function makeTree(root: string, files: number): void {
  const put = (name: string, content: string | Uint8Array, mode = 0o644): void => {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, mode)
  }
  put(".gitignore", "*.log\ncache/\n")
  for (let i = 0; i < files; i++) {
    const folder = `src/part${i % 23}/deep${i % 7}`
    if (i % 11 === 0)
      put(
        `${folder}/data${i}.bin`,
        Uint8Array.from({ length: 300 + i }, (_, n) => (n * 31 + i) % 256),
      )
    else if (i % 13 === 0) put(`${folder}/dos${i}.txt`, `first ${i}\r\nsecond\r\nthird ${i}\r\n`)
    else if (i % 17 === 0) put(`${folder}/run${i}.sh`, `#!/bin/sh\necho ${i}\n`, 0o755)
    else if (i % 19 === 0) put(`${folder}/trace${i}.log`, `ignored ${i}\n`)
    else if (i % 29 === 0) put(`cache/entry${i}`, `cached ${i}`)
    else put(`${folder}/file${i}.ts`, `export const value${i} = ${i}\n${"// line\n".repeat(i % 20)}`)
  }
  mkdirSync(join(root, "empty"))
  symlinkSync("src/part0", join(root, "to-folder"))
  symlinkSync("nowhere", join(root, "to-nothing"))
  symlinkSync("/etc", join(root, "to-outside"))
}

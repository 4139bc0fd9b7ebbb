/** Which file a name would start: the PATH is looked through as the shell does it, and the file is looked at once. */

import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { FindProgram, ProgramFile } from "./shell/program-file.ts"
import { searchPath } from "./shell/read-only-environment.ts"

/** Where bash looks when nobody tells it. */
const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** Looks programs up; what lies at a path is read again only when the file there is another one, or was changed. */
export function openPrograms(path: () => string | undefined): FindProgram {
  const known = new Map<string, { readonly stamp: string; readonly file: ProgramFile }>()

  const look = (at: string): ProgramFile | undefined => {
    const stats = runnable(at)
    if (!stats) return undefined
    const stamp = `${stats.dev}:${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}`
    const before = known.get(at)
    if (before?.stamp === stamp) return before.file
    const file = readProgram(at)
    known.set(at, { stamp, file })
    return file
  }

  const search = (folders: readonly string[], name: string): ProgramFile | undefined => {
    for (const folder of folders) {
      const file = look(`${folder}/${name}`)
      if (file) return file
    }
    return undefined
  }

  return (name, isProjectFolder) => {
    if (name.includes("/")) return { file: look(name), isCertain: true }
    const whole = path() ?? standardPath
    const safe = searchPath(whole, isProjectFolder)
    const file = search(safe, name)
    const isWhole = safe.length === whole.split(":").length
    return { file, isCertain: isWhole || search(whole.split(":"), name)?.path === file?.path }
  }
}

/** A file that may be executed; undefined when there is none. */
function runnable(path: string): Stats | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile() || (stats.mode & 0o111) === 0) return undefined
    accessSync(path, constants.X_OK)
    return stats
  } catch {
    return undefined
  }
}

const mostBytes = 8192

function readProgram(path: string): ProgramFile {
  const real = realOf(path)
  const head = headOf(real)
  const isScript = head?.toString("latin1", 0, 2) === "#!"
  const content: ProgramFile["content"] = isScript ? "script" : head && isBinary(head) ? "binary" : "unknown"
  return {
    path,
    real,
    isAlternative: targetOf(path)?.startsWith("/etc/alternatives/") ?? false,
    content,
    text: isScript ? (head?.toString("utf8") ?? "") : "",
    hasBeside: (name) => [path, real].some((each) => runnable(join(dirname(each), name)) !== undefined),
  }
}

/** The first bytes of what the systems load: ELF and the kinds of Mach-O. */
const magics: ReadonlySet<number> = new Set([
  0x7f454c46, 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf,
])

const isBinary = (head: Buffer): boolean => head.length >= 4 && magics.has(head.readUInt32BE(0))

function headOf(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, "r")
    const bytes = Buffer.alloc(mostBytes)
    return bytes.subarray(0, readSync(file, bytes, 0, mostBytes, 0))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

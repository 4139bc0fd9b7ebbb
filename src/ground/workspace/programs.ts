/** Which file a name would start: the PATH is searched like the shell does, and the file is inspected once. */

import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { onceEach } from "#lib/once-each.ts"
import { type Identity, identityOf, isSameState } from "./identity.ts"
import type { FindProgram, ProgramFile } from "./shell/programs/program-file.ts"
import { isSearched } from "./shell/read-only-environment.ts"
import { willTell } from "./telling-stamps.ts"

/** bash's default. */
const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** Looks programs up, and follows their links, every time; a file is only read again when it has changed. */
export function openPrograms(path: () => string | undefined): FindProgram {
  const known = new Map<string, { readonly identity: Identity; readonly facts: ContentFacts }>()

  const heldBy = (real: string, stats: BigIntStats, lookedAt: number): ContentFacts => {
    const identity = identityOf(stats)
    const before = known.get(real)
    if (before && isSameState(before.identity, identity)) return before.facts
    const facts = readHeld(real)
    if (willTell(real, identity, lookedAt)) known.set(real, { identity, facts })
    return facts
  }

  const programAt = (at: string, lookedAt: number): ProgramFile | undefined => {
    const stats = runnable(at)
    if (!stats) return undefined
    const real = realOf(at)
    return {
      path: at,
      real,
      isAlternative: real !== at && (targetOf(at)?.startsWith("/etc/alternatives/") ?? false),
      ...heldBy(real, stats, lookedAt),
      hasBeside: (name) => [at, real].some((each) => runnable(join(dirname(each), name)) !== undefined),
    }
  }

  const foldersOf = onceEach((searched) => [...new Set(searched.split(":"))])

  return (name, isProjectFolder) => {
    const lookedAt = systemClock.now()
    if (name.includes("/")) return { file: programAt(name, lookedAt), isCertain: true }
    let first: ProgramFile | undefined
    for (const folder of foldersOf(path() ?? standardPath)) {
      // Most folders do not have it, and need not be judged.
      const file = programAt(`${folder}/${name}`, lookedAt)
      if (!file) continue
      first ??= file
      if (isSearched(folder, isProjectFolder)) return { file, isCertain: file === first }
    }
    return { file: undefined, isCertain: first === undefined }
  }
}

const inNanoseconds = { bigint: true, throwIfNoEntry: false } as const

function runnable(path: string): BigIntStats | undefined {
  try {
    const stats = statSync(path, inNanoseconds)
    if (!stats?.isFile() || (stats.mode & 0o111n) === 0n) return undefined
    accessSync(path, constants.X_OK)
    return stats
  } catch {
    return undefined
  }
}

/** What the content of its file says about a program. */
type ContentFacts = Pick<ProgramFile, "content" | "text">

const mostBytes = 8192

function readHeld(real: string): ContentFacts {
  const head = headOf(real)
  if (head?.toString("latin1", 0, 2) === "#!") return { content: "script", text: head.toString("utf8") }
  return { content: head && isBinary(head) ? "binary" : "unknown", text: "" }
}

/** The first bytes of native executables: ELF and the kinds of Mach-O. */
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
    return realpathSync.native(path)
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

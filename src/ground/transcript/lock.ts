/**
 * One process per session. The lock is a folder with one file in it, named after the owner: a folder can only be put
 * instead of none or an empty one, and removing a dead owner's file can never remove anyone else's.
 */

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { codeOf } from "#lib/error-code.ts"
import { quietly } from "#lib/quietly.ts"

export type LockFailure =
  /** `host`: another machine, whose processes cannot be looked at from here. */
  | { readonly kind: "held"; readonly pid: number; readonly host?: string }
  | { readonly kind: "unwritable"; readonly path: string; readonly message: string }

/** With its start time where the system tells, because pids are reused. */
export interface Owner {
  readonly pid: number
  readonly start: string
}

/** How long a lock of another machine counts after the last change of what it protects: a process may be in a turn. */
const otherHostMs = 2 * 60_000

/** Returns a function that releases the lock, or the owner. A dead owner's lock is taken over. */
export function takeLock(path: string, pid: number, here: string = hostname()): Result<() => void, LockFailure> {
  const me = ownerOf(pid)
  const own = `${path}.${pid}`
  let isPlaced = false
  try {
    makeAnew(own)
    writeFileSync(join(own, nameOf(me)), here, { mode: 0o600 })
    while (!(isPlaced = putInPlace(own, path))) {
      for (const { owner, host, remove } of claimsOn(path)) {
        if (owner && isAlive(owner, me)) return failed({ kind: "held", pid: owner.pid })
        const isElsewhere = owner && host !== "" && host !== here
        if (isElsewhere && isInUse(path)) return failed({ kind: "held", pid: owner.pid, host })
        // Another process may already have removed it.
        quietly(remove)
      }
    }
    return ok(() => release(path, me))
  } catch (error) {
    return failed({ kind: "unwritable", path, message: error instanceof Error ? error.message : String(error) })
  } finally {
    if (!isPlaced) rmSync(own, { recursive: true, force: true })
  }
}

/** The live process that owns a lock, if any. Changes nothing. */
export function holderOf(path: string, pid: number): Owner | undefined {
  const me = ownerOf(pid)
  try {
    return claimsOn(path).find(({ owner }) => owner && isAlive(owner, me))?.owner
  } catch {
    return undefined
  }
}

/** A process as others know it again, also after its pid was given to another one. */
export const ownerOf = (pid: number): Owner => ({ pid, start: startOf(pid) ?? "" })

/** Whether that very process still runs, as far as `me` can tell. */
export const isRunning = (owner: Owner, me: Owner): boolean => isAlive(owner, me)

function makeAnew(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
    // Left from a process of this number that was killed right here.
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: 0o700 })
  }
}

function putInPlace(own: string, path: string): boolean {
  try {
    renameSync(own, path)
    return true
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(error))) return false
    throw error
  }
}

interface Claim {
  readonly owner: Owner | undefined
  /** The machine it was made on; empty if it does not say. */
  readonly host: string
  readonly remove: () => void
}

/** Also accepts a plain file that contains a pid. */
function claimsOn(path: string): readonly Claim[] {
  try {
    return readdirSync(path).map((name) => ({
      owner: ownerIn(name),
      host: textOf(join(path, name)).trim(),
      remove: () => unlinkSync(join(path, name)),
    }))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    if (codeOf(error) !== "ENOTDIR") throw error
    return [{ owner: ownerIn(textOf(path)), host: "", remove: () => unlinkSync(path) }]
  }
}

function release(path: string, me: Owner): void {
  quietly(() => unlinkSync(join(path, nameOf(me))))
  quietly(() => rmdirSync(path))
}

const nameOf = ({ pid, start }: Owner): string => `${pid} ${start}`.trimEnd()

function ownerIn(text: string): Owner | undefined {
  const found = /^(\d+)(?: (\d+))?$/.exec(text.trim())
  return found ? { pid: Number(found[1]), start: found[2] ?? "" } : undefined
}

function isAlive(owner: Owner, me: Owner): boolean {
  // Where starts are not told, our own pid in a lock is that of a process before us.
  if (owner.pid === me.pid) return owner.start !== "" && owner.start === me.start
  if (!answers(owner.pid)) return false
  const start = startOf(owner.pid)
  return start === undefined ? me.start === "" : owner.start === "" || owner.start === start
}

/** Whether this is the lock of a log that was just written or locked. */
function isInUse(path: string): boolean {
  if (!path.endsWith(".jsonl.lock")) return false
  const changed = [path, path.slice(0, -".lock".length)].map(
    (one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return systemClock.now() - Math.max(...changed) < otherHostMs
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Someone else's process is alive too.
    return codeOf(error) === "EPERM"
  }
}

/** In the system's own count; undefined when the process has ended or the system does not tell. */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  // The name in front may contain anything, so the fields are counted from its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

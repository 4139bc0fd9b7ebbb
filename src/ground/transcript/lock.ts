/** One process per session: a lock file that names its owner. A dead owner's lock is taken over. */

import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { failed, ok, type Result } from "#lib/result.ts"

export type LockFailure =
  | { readonly kind: "held"; readonly pid: number }
  | { readonly kind: "unwritable"; readonly path: string; readonly message: string }

/** A process: its pid, and where the system tells, when it started, because pids are given out again. */
interface Owner {
  readonly pid: number
  readonly start: string
}

/** Takes the lock, or says who has it. The value releases it. */
export function takeLock(path: string, pid: number): Result<() => void, LockFailure> {
  const me: Owner = { pid, start: startOf(pid) ?? "" }
  const own = `${path}.${pid}`
  try {
    writeFileSync(own, written(me), { mode: 0o600 })
    for (;;) {
      if (claim(own, path)) return ok(() => release(path, me))
      const owner = ownerOf(path)
      if (owner && isAlive(owner, me)) return failed({ kind: "held", pid: owner.pid })
      clearAway(path, owner, `${own}.stale`)
    }
  } catch (error) {
    return failed({ kind: "unwritable", path, message: error instanceof Error ? error.message : String(error) })
  } finally {
    rmSync(own, { force: true })
  }
}

/** Puts the lock in its place with its content, whole and at once, unless one is there. */
function claim(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
  }
  // Some file systems know no links; there, content and place come one after the other.
  try {
    copyFileSync(own, path, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/** Removes a dead owner's lock. It is moved aside first: should another have taken it over in this moment, it goes back. */
function clearAway(path: string, dead: Owner | undefined, aside: string): void {
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return
    throw error
  }
  const moved = ownerOf(aside)
  if (moved && !isSame(moved, dead)) claim(aside, path)
  rmSync(aside, { force: true })
}

function release(path: string, me: Owner): void {
  if (isSame(ownerOf(path), me)) rmSync(path, { force: true })
}

const written = ({ pid, start }: Owner): string => `${pid} ${start}`.trimEnd()

function ownerOf(path: string): Owner | undefined {
  try {
    const found = /^(\d+)(?: (\d+))?$/.exec(readFileSync(path, "utf8").trim())
    return found ? { pid: Number(found[1]), start: found[2] ?? "" } : undefined
  } catch {
    return undefined
  }
}

const isSame = (a: Owner | undefined, b: Owner | undefined): boolean => a?.pid === b?.pid && a?.start === b?.start

function isAlive(owner: Owner, me: Owner): boolean {
  // Where starts are not told, our own pid in a lock is that of a process before us.
  if (owner.pid === me.pid) return owner.start !== "" && owner.start === me.start
  if (!answers(owner.pid)) return false
  const start = startOf(owner.pid)
  return start === undefined ? me.start === "" : owner.start === "" || owner.start === start
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

/** When a process started, in the system's own count; nothing when it has ended or the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in front may contain anything, so the fields are counted from its closing bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

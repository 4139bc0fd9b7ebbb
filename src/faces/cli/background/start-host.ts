/** Makes sure that a host of background sessions runs, where there is something for it to do. See decision 141. */

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { jobsFolder } from "#fleet/background/jobs.ts"
import { startChild } from "#ground/team/processes.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { askToStop } from "#ground/transcript/take-over.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { ownProgram } from "#faces/cli/own-program.ts"

export const hostLock = (state: string): string => join(jobsFolder(state), "host.lock")
export const hostVersion = (state: string): string => join(jobsFolder(state), "host.version")
const hostErrors = (state: string): string => join(jobsFolder(state), "host.err")

/** A host that was killed leaves its lock behind; one that has nothing to do does not. Costs one look at a folder. */
export async function restartHost(state: string): Promise<void> {
  if (existsSync(hostLock(state))) await startHost(state)
}

/** One that runs sees by itself what was written. The failure is a sentence. */
export async function startHost(state: string): Promise<Result<void, string>> {
  const lock = hostLock(state)
  const holder = holderOf(lock, process.pid)
  if (holder && isSameVersion(state)) return ok(undefined)
  if (holder) {
    const { signal } = new AbortController()
    const stopped = await askToStop(lock, { pid: process.pid, clock: systemClock, signal })
    if (!stopped.ok)
      return failed(`The host of background sessions is another version of Codewright and does not stop.`)
  }
  const program = ownProgram()
  if (program === undefined) return failed("Background sessions need the codewright program.")
  const started = await startChild(
    // Not in a folder that somebody may want to remove.
    { argv: [...program, "--background-host"], cwd: state, env: wholeEnvironment() },
    { input: "", errors: hostErrors(state) },
  )
  return started.ok
    ? ok(undefined)
    : failed(`The host of background sessions could not be started: ${started.failure}.`)
}

function isSameVersion(state: string): boolean {
  try {
    return readFileSync(hostVersion(state), "utf8") === version
  } catch {
    // It has just begun.
    return true
  }
}

const wholeEnvironment = (): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(processEnvironment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

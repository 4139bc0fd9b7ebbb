/** Who has the store open. Cleaning up requires exclusive access; opening waits until that is done. */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "#lib/error-code.ts"

const openName = /^open-(\d+)-[\w-]+$/
const cleaningName = /^cleaning-(\d+)$/

export interface Owner {
  readonly isAlone: () => boolean
  /** Whether someone who came before us is cleaning up. Nobody begins to while we have the store open. */
  readonly mustWait: () => boolean
  /** Runs `act` with exclusive access; false when another process has the store open. */
  readonly alone: (act: () => Promise<void>) => Promise<boolean>
  readonly close: () => void
}

export function openOwner({
  folder,
  pid,
  token,
}: {
  readonly folder: string
  readonly pid: number
  readonly token: string
}): Owner {
  const own = join(folder, `open-${pid}-${token}`)
  const cleaning = join(folder, `cleaning-${pid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Said before anyone is looked for: of two who come at the same time at least one sees the other.
  writeFileSync(own, "", { mode: 0o600 })
  let mayClean = true
  return {
    isAlone: () => living(folder, openName).length === 1,
    mustWait: () => (mayClean &&= living(folder, cleaningName).some((other) => other !== pid)),
    async alone(act) {
      writeFileSync(cleaning, "", { mode: 0o600 })
      try {
        if (living(folder, openName).length > 1 || living(folder, cleaningName).length > 1) return false
        await act()
        return true
      } finally {
        rmSync(cleaning, { force: true })
      }
    },
    close: () => rmSync(own, { force: true }),
  }
}

/** Live processes with such a file; files of dead processes are removed. */
function living(folder: string, name: RegExp): number[] {
  return readdirSync(folder).flatMap((file) => {
    const pid = Number(name.exec(file)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid)) return []
    if (isAlive(pid)) return [pid]
    rmSync(join(folder, file), { force: true })
    return []
  })
}

/** For stores that nobody may open again, such as those of worktrees that are gone. */
export function dropDeadOwners(stores: string): void {
  if (!existsSync(stores)) return
  for (const entry of readdirSync(stores, { withFileTypes: true }))
    if (entry.isDirectory()) living(join(stores, entry.name), openName)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** Who has the store open. Whoever cleans it up must be alone; whoever opens it waits until that is done. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "./failure.ts"

const openName = /^open-(\d+)-[\w-]+$/
const cleaningName = /^cleaning-(\d+)$/

export interface Owner {
  /** Whether nobody else has the store open at this moment. */
  readonly isAlone: () => boolean
  /** Whether another process is cleaning up right now. */
  readonly mustWait: () => boolean
  /** Does something while nobody else has the store open; false when someone has. */
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
  return {
    isAlone: () => living(folder, openName).length === 1,
    mustWait: () => living(folder, cleaningName).some((other) => other !== pid),
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

/** The processes with such a file; those of processes that are gone are removed. */
function living(folder: string, name: RegExp): number[] {
  return readdirSync(folder).flatMap((file) => {
    const pid = Number(name.exec(file)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid)) return []
    if (isAlive(pid)) return [pid]
    rmSync(join(folder, file), { force: true })
    return []
  })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

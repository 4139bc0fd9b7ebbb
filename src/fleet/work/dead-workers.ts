/** What workers of this machine that are gone have left: their sessions need not wait until they are missed. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRunning, type Owner, ownerOf } from "#ground/transcript/lock.ts"
import { objectIn } from "#lib/json.ts"
import type { FleetLeases } from "#fleet/store/sessions.ts"

const ownerFile = "owner.json"

/** `scratch`: the folder of the worker. */
export const markOwn = (scratch: string, pid: number): void =>
  writeFileSync(join(scratch, ownerFile), JSON.stringify(ownerOf(pid)), { mode: 0o600 })

/** `folder`: where workers of this machine have theirs. */
export async function releaseDeadWorkers(
  folder: string,
  pid: number,
  leases: Pick<FleetLeases, "leave">,
): Promise<void> {
  const me = ownerOf(pid)
  for (const id of readdirSync(folder).filter((name) => /^w_[0-9a-f]+$/.test(name))) {
    const owner = ownerIn(join(folder, id, ownerFile))
    if (!owner || isRunning(owner, me)) continue
    await leases.leave(id)
    rmSync(join(folder, id), { recursive: true, force: true })
  }
}

function ownerIn(path: string): Owner | undefined {
  try {
    const { pid, start } = objectIn(readFileSync(path, "utf8")) ?? {}
    return typeof pid === "number" && typeof start === "string" ? { pid, start } : undefined
  } catch {
    return undefined
  }
}

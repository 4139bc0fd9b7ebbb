/** What confines commands on this machine, as decisions see it. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import type { Walls } from "#kits/permissions/walls.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openJudgedWalls } from "#session/adapters/judged-walls.ts"
import { sandboxScratch } from "./sandbox-scratch.ts"

/** Tried by confining a program. Without `settings` the sandbox counts as off. */
export async function wallsHere(state: string, settings?: SandboxSettings): Promise<Walls> {
  const folder = sandboxScratch(state, "codewright-walls")
  const sandbox = openSandbox({
    platform: process.platform,
    ids: systemIds,
    clock: systemClock,
    registry: join(state, "placeholders"),
    folder: join(folder, "sandbox"),
    confine: () => confinePath({ cacheFolder: join(state, "cache"), pid: process.pid }),
  })
  try {
    const { now, load } = openJudgedWalls(settings, sandbox.check)
    await load()
    return now()
  } finally {
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

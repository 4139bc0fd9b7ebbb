/** Where a session works: a folder of this machine. */

import { existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FleetSession, Lease } from "./records.ts"
import type { Fenced, FleetStore } from "./store.ts"

export interface Workplace {
  readonly cwd: string
  readonly plans: string
  /** For what belongs to the session besides its log. */
  readonly folder: string
  /** Keeps the files as they are now, for whoever continues elsewhere. */
  readonly keep: () => Promise<void>
}

export interface Workplaces {
  readonly prepare: (
    record: FleetSession,
    lease: Lease,
  ) => Promise<Result<Workplace, Fenced | { readonly kind: "unusable"; readonly message: string }>>
}

/** `folder`: where sessions that begin here have their own folders. */
export function openWorkplaces(parts: {
  readonly store: FleetStore
  readonly folder: string
  readonly host: string
}): Workplaces {
  return {
    async prepare({ opening: { workspace } }, lease) {
      const unusable = (message: string) => failed({ kind: "unusable", message } as const)
      const settled = await parts.store.leases.settle(lease, join(parts.folder, lease.sessionId))
      if (!settled.ok) return settled
      const own = settled.value
      if (!("path" in workspace)) return unusable("Repositories cannot be used as a workspace yet.")
      const { path: cwd } = workspace
      if (!existsSync(cwd) || !statSync(cwd).isDirectory())
        return unusable(
          `The folder ${cwd} does not exist on ${parts.host}. Start a worker where it is, or use a repository.`,
        )
      const plans = join(own, "plans")
      try {
        mkdirSync(plans, { recursive: true, mode: 0o700 })
      } catch (error) {
        return unusable(`The session's folder ${own} cannot be made on ${parts.host} (${String(error)}).`)
      }
      return ok({ cwd, plans, folder: join(own, "session"), keep: async () => undefined })
    },
  }
}

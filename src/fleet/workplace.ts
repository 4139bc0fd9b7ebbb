/** Where a session works: a folder of this machine, or a clone of a repository that is the same wherever it continues. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Checkout, Sources } from "#ground/workspace/source.ts"
import type { Lease, WorkspaceSource, FleetSession } from "./records.ts"
import type { Fenced, FleetStore } from "./store.ts"

export interface Workplace {
  readonly cwd: string
  readonly plans: string
  /** For what belongs to the session besides its log. */
  readonly folder: string
  /** Keeps the files as they are now, for whoever continues elsewhere. */
  readonly keep: () => Promise<void>
  /** Makes what was done available to others, where that is wanted. */
  readonly publish: () => Promise<Result<void, string>>
}

type Unusable = Fenced | { readonly kind: "unusable"; readonly message: string }

export interface Workplaces {
  readonly prepare: (record: FleetSession, lease: Lease) => Promise<Result<Workplace, Unusable>>
}

export interface WorkplacesParts {
  readonly store: FleetStore
  readonly sources: Sources
  /** Where sessions that begin here have their own folders. */
  readonly folder: string
  readonly host: string
  /** Whether results become branches of their repository. */
  readonly publishes: boolean
  readonly report: (text: string) => void
}

export function openWorkplaces(parts: WorkplacesParts): Workplaces {
  const { store, host } = parts
  return {
    async prepare({ opening: { workspace } }, lease) {
      const settled = await store.leases.settle(lease, join(parts.folder, lease.sessionId))
      if (!settled.ok) return settled
      const own = settled.value
      const plans = join(own, "plans")
      try {
        mkdirSync(plans, { recursive: true, mode: 0o700 })
      } catch (error) {
        return unusable(`The session's folder ${own} cannot be made on ${host}: ${String(error)}`)
      }
      const common = { plans, folder: join(own, "session") }
      if (!("path" in workspace)) {
        const cloned = await clone(parts, workspace, lease, own)
        return cloned.ok ? ok({ ...common, ...cloned.value }) : cloned
      }
      const { path: cwd } = workspace
      if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
        return unusable(
          `The folder ${cwd} does not exist on ${host}. Start a worker where it is, or name a repository instead.`,
        )
      return ok({ ...common, cwd, keep: async () => undefined, publish: async () => ok(undefined) })
    },
  }
}

const unusable = (message: string): Result<never, Unusable> => failed({ kind: "unusable", message })

/** The clone on this disk is used as it is if nobody has had the session elsewhere since. */
async function clone(
  parts: WorkplacesParts,
  { git }: Extract<WorkspaceSource, { readonly git: unknown }>,
  lease: Lease,
  own: string,
): Promise<Result<Pick<Workplace, "cwd" | "keep" | "publish">, Unusable>> {
  const { store, sources } = parts
  const { url } = git
  const before = await store.trees.get(lease.sessionId)
  const found = before ? ok(before.base) : await sources.resolve(url, git.ref)
  if (!found.ok) return unusable(found.failure)
  const base = before ? ok(before.base) : await store.trees.begin(lease, found.value)
  if (!base.ok) return base
  const tree = join(own, "tree")
  const branch = `codewright/${lease.sessionId.slice(0, 8)}`
  const checkout: Checkout = { url, base: base.value, branch, tree, keeper: join(own, "keeper.git") }
  const mark = join(own, "fence")
  if (!existsSync(tree) || lastFence(mark) !== lease.fence - 1) {
    const made = await sources.make(checkout, before?.kept)
    if (!made.ok) return unusable(made.failure)
  }
  writeFileSync(mark, `${lease.fence}\n`, { mode: 0o600 })
  return ok({
    cwd: tree,
    async keep() {
      const kept = await sources.keep(checkout)
      if (!kept.ok) return parts.report(`The files of session ${lease.sessionId} cannot be kept: ${kept.failure}`)
      if (kept.value) await store.trees.keep(lease, kept.value)
    },
    publish: async () => (parts.publishes ? sources.publish(checkout) : ok(undefined)),
  })
}

function lastFence(mark: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(mark, "utf8"), 10)
  } catch {
    return undefined
  }
}

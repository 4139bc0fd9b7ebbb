/** Where a session works: a folder of this machine, or a clone of a repository that is the same wherever it continues. */

import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileHistory } from "#ground/settings/state-folder.ts"
import { piecesOf, snapshotsIn, importPieces } from "#ground/snapshots/carry.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { liesIn } from "#lib/lies-in.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { BranchRequest, Brought } from "#ground/workspace/source/bring.ts"
import type { Checkout } from "#ground/workspace/source/checkout.ts"
import type { Committed, CommitWish } from "#ground/workspace/source/commit.ts"
import type { KeptLane, OtherTree, Sources } from "#ground/workspace/source/sources.ts"
import type { Lease, WorkspaceSource, FleetSession } from "#fleet/records.ts"
import type { Fenced } from "#fleet/store/failures.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { FleetTree } from "#fleet/store/trees.ts"
import type { Environments } from "./environments.ts"
import { sessionFilesIn, restoreSessionFiles } from "./session-files.ts"
import { continuedWords, goneWords, lostBesideWords } from "./moved-words.ts"
import { openStoring, sourceRef, type Storing, type TreeLimits } from "./storing.ts"

export interface Workplace {
  readonly cwd: string
  readonly plans: string
  readonly worktrees: string
  /** For what belongs to the session besides its log. */
  readonly folder: string
  /** What whoever continues the session should know about it, as sentences. */
  readonly notes: readonly string[]
  /** Whether there is something that `keep` has not kept yet, besides what calls have changed. */
  readonly isBehind: () => boolean
  /** Keeps the files as they are now, for whoever continues elsewhere. */
  readonly keep: () => Promise<void>
  /** Makes what was done available to others, where that is wanted. */
  readonly publish: () => Promise<Result<void, string>>
  /** Of a clone: what it takes to publish it. */
  readonly clone?: WorkplaceClone
  /** What its programs need to read outside of its folder. */
  readonly reads: readonly string[]
  /** Of a clone: brings what another session of the same repository has committed, if it is not here yet. */
  readonly bring?: (session: string, wish: BranchRequest) => Promise<Result<Brought, string>>
}

export interface WorkplaceClone {
  readonly url: string
  /** The commit it began with. */
  readonly base: string
  readonly commit: (wish: CommitWish) => Promise<Result<Committed, string>>
  readonly pushBranch: (commit: string, branch: string) => Promise<Result<void, string>>
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
  /** Where the program keeps its own data, snapshots among it. */
  readonly state: string
  readonly host: string
  /** Whether results become branches of their repository. */
  readonly publishes: boolean
  readonly limits: TreeLimits
  readonly environments?: Pick<Environments, "prepare">
  readonly report: (text: string) => void
}

export function openWorkplaces(parts: WorkplacesParts): Workplaces {
  const { store, host } = parts
  return {
    async prepare(record, lease) {
      const { workspace } = record.opening
      const settled = await store.leases.settle(lease, join(parts.folder, lease.sessionId))
      if (!settled.ok) return settled
      const own = settled.value
      const plans = join(own, "plans")
      try {
        mkdirSync(plans, { recursive: true, mode: 0o700 })
      } catch (error) {
        return unusable(noFolderWords(own, host, error))
      }
      const common = { plans, worktrees: join(own, "worktrees"), folder: join(own, "session") }
      if (!("path" in workspace)) {
        const cloned = await clone(parts, workspace, record, lease, own)
        return cloned.ok ? ok({ ...common, ...cloned.value }) : cloned
      }
      const { path: cwd } = workspace
      const ours = [parts.state, parts.folder].find((folder) => liesIn(realPath(cwd), realPath(folder)))
      if (ours !== undefined)
        return unusable(`${cwd} belongs to Codewright itself (${ours}). Name the folder of a project.`)
      if (!statsOf(cwd)?.isDirectory())
        return unusable(
          `The folder ${cwd} does not exist on ${host}. Start a worker where it is, or name a repository instead.`,
        )
      return ok({ ...common, ...nothingKept, cwd })
    },
  }
}

const nothingKept: Pick<Workplace, "notes" | "reads" | "isBehind" | "keep" | "publish"> = {
  notes: [],
  reads: [],
  isBehind: () => false,
  keep: async () => undefined,
  publish: async () => ok(undefined),
}

const unusable = (message: string): Result<never, Unusable> => failed({ kind: "unusable", message })

const noFolderWords = (own: string, host: string, error: unknown): string =>
  `The session's folder ${own} cannot be made on ${host} (${String(error)}). Paths in a session must be the same everywhere: start all workers with the same --workplaces folder, which each of them can write to.`

/** The clone on this disk is used as it is if nobody has had the session elsewhere since. */
async function clone(
  parts: WorkplacesParts,
  { git }: Extract<WorkspaceSource, { readonly git: unknown }>,
  { lead, opening }: FleetSession,
  lease: Lease,
  own: string,
): Promise<Result<Omit<Workplace, "plans" | "worktrees" | "folder">, Unusable>> {
  const { store, sources, host } = parts
  const { url } = git
  const before = await store.trees.get(lease.sessionId)
  const led = lead === undefined || before?.files ? undefined : await store.trees.get(lead)
  if (lead !== undefined && !before?.files && !led?.files) return unusable(noLeadWords)
  const found = (before ?? led) ? ok((before ?? led)?.base ?? "") : await sources.resolve(url, git.ref)
  if (!found.ok) return unusable(found.failure)
  const base = before ? ok(before.base) : await store.trees.begin(lease, found.value)
  if (!base.ok) return base
  const tree = join(own, "tree")
  const branch = opening.branch ?? `codewright/${lease.sessionId.slice(0, 8)}`
  const checkout: Checkout = { url, base: base.value, branch, tree, keeper: join(own, "keeper.git") }
  const history = fileHistory(parts.state, tree)
  const mark = join(own, "fence")
  const isMine = lastFence(mark) === lease.fence - 1 && (await sources.isThere(checkout))
  rmSync(mark, { force: true })
  const put = isMine ? ok([]) : await putInPlace(parts, checkout, { lease, lead, before, history })
  if (!put.ok) return unusable(put.failure)
  writeFileSync(mark, `${lease.fence}\n`, { mode: 0o600 })
  const standing = before ? await sources.standing(url, base.value) : ({ kind: "there" } as const)
  const isGone = standing.kind === "gone"
  const prepared = isMine ? ok(undefined) : ((await parts.environments?.prepare(checkout)) ?? ok(undefined))
  const storing = openStoring({
    ...parts,
    trees: store.trees,
    lease,
    checkout,
    before: before ?? { base: base.value },
  })
  const kept = keeping(storing, history, isGone, own)
  return ok({
    cwd: tree,
    reads: [sources.objectsOf(url)],
    notes: [
      ...put.value,
      ...(prepared.ok ? [] : [prepared.failure]),
      ...(isGone ? [goneWords(standing.why, host)] : []),
    ],
    // What members did is published by their lead.
    publish: async () => (parts.publishes && lead === undefined ? sources.publish(checkout) : ok(undefined)),
    ...kept,
    bring: bringing(parts, checkout),
    clone: {
      url,
      base: base.value,
      async commit(wish) {
        await kept.keep()
        const made = await sources.commit(checkout, wish)
        if (made.ok && made.value.isNew) await kept.keep()
        return made
      },
      pushBranch: (commit, name) => sources.pushBranch(checkout, commit, name),
    },
  })
}

const noLeadWords = "The files of the session that leads its team are not kept, so there is nothing to begin with."

const laneOf = async (
  trees: FleetStore["trees"],
  session: string,
  { place }: NonNullable<FleetTree["files"]>,
): Promise<KeptLane> =>
  place === "source" ? { ref: sourceRef(session) } : { parts: await trees.parts(session, "files") }

/** Undefined if nothing of it is kept. */
async function otherTree({ trees }: Pick<FleetStore, "trees">, session: string): Promise<OtherTree | undefined> {
  const files = (await trees.get(session))?.files
  return files && { session, state: files.state, files: () => laneOf(trees, session, files) }
}

/** One at a time: they share the keeper. */
function bringing({ store, sources }: WorkplacesParts, checkout: Checkout): NonNullable<Workplace["bring"]> {
  const here = new Map<string, { readonly state: string; readonly brought: Brought }>()
  let last: Promise<unknown> = Promise.resolve()

  async function bring(session: string, wish: BranchRequest): Promise<Result<Brought, string>> {
    const tree = await store.trees.get(session)
    const other = await otherTree(store, session)
    if (!other) return failed("its files are not kept")
    const known = here.get(session)
    const now = known?.state === other.state ? ok(known.brought) : await sources.bring(checkout, other, wish)
    if (now.ok) here.set(session, { state: other.state, brought: now.value })
    return now.ok && tree?.behind !== undefined ? failed(`its newest files are not kept: ${tree.behind}`) : now
  }
  return (session, wish) => {
    const next = last.catch(() => undefined).then(() => bring(session, wish))
    last = next
    return next
  }
}

function keeping(
  storing: Storing,
  history: string,
  isGone: boolean,
  own: string,
): Pick<Workplace, "isBehind" | "keep"> {
  // The snapshots that are kept already.
  const list = join(own, "kept")
  const stamps = new Map<string, string>()
  const storedSnapshots = new Set(textOf(list).split("\n"))
  const fresh = (): readonly string[] => snapshotsIn(history).filter((id) => !storedSnapshots.has(id))
  let keeps: Promise<void> = Promise.resolve()
  return {
    isBehind: () => fresh().length > 0,
    // One at a time: they share the keeper.
    keep() {
      keeps = keeps
        .catch(() => undefined)
        .then(async () => {
          const ids = fresh()
          const belongings = sessionFilesIn(own).filter(({ name, stamp }) => stamps.get(name) !== stamp)
          await storing.keep(both(piecesOf(history, ids), belongings), isGone)
          for (const { name, stamp } of belongings) stamps.set(name, stamp)
          for (const id of ids) {
            storedSnapshots.add(id)
            appendFileSync(list, `${id}\n`, { mode: 0o600 })
          }
        })
      return keeps
    },
  }
}

function* both<T>(first: Iterable<T>, second: Iterable<T>): Iterable<T> {
  yield* first
  yield* second
}

/** The clone as it begins, or as it was kept. Returns what should be known about it. */
async function putInPlace(
  { store, sources, host }: WorkplacesParts,
  checkout: Checkout,
  {
    lease: { sessionId },
    lead,
    before,
    history,
  }: {
    readonly lease: Lease
    readonly lead: string | undefined
    readonly before: FleetTree | undefined
    readonly history: string
  },
): Promise<Result<readonly string[], string>> {
  if (before?.behind !== undefined)
    return failed(
      `The newest files of this session are not kept in the database: ${before.behind}. Start a worker there and send a message to continue.`,
    )
  rmSync(join(dirname(checkout.tree), "kept"), { force: true })
  if (!before?.files) {
    const other = lead === undefined ? undefined : await otherTree(store, lead)
    const made = other ? await sources.makeFrom(checkout, other) : await sources.make(checkout)
    return made.ok ? ok([]) : made
  }
  const { files } = before
  const carried = join(dirname(checkout.tree), "carried")
  const restored = await sources.restore(
    checkout,
    {
      files: await laneOf(store.trees, sessionId, files),
      beside: { parts: await store.trees.parts(sessionId, "beside") },
    },
    carried,
  )
  if (!restored.ok) return restored
  // What this machine has of an earlier time is older than what was kept.
  rmSync(history, { recursive: true, force: true })
  const taken = await importPieces(carried, history)
  restoreSessionFiles(carried, dirname(checkout.tree))
  rmSync(carried, { recursive: true, force: true })
  writeFileSync(
    join(dirname(checkout.tree), "kept"),
    snapshotsIn(history)
      .map((id) => `${id}\n`)
      .join(""),
    { mode: 0o600 },
  )
  return ok([continuedWords(host, restored.value.stays), ...(before.beside && taken.ok ? [] : [lostBesideWords])])
}

const lastFence = (mark: string): number => Number.parseInt(textOf(mark), 10)

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

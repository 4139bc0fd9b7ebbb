/** Which files changed under the eyes of an agent, and that a language server is given them as they are now. */

import { byKind, type OnEntry } from "#agent/words/follower.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Files } from "#ground/workspace/files.ts"
import type { Identity } from "#ground/workspace/identity.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import type { LiveServer } from "./live-server.ts"
import { errorsIn, type KnownErrors, knownOf } from "./news.ts"
import type { LanguageServers } from "./servers.ts"

export interface ChangedFilesPorts {
  readonly servers: LanguageServers
  readonly files: Files
  readonly stamps: Stamps
  /** The folders of the session, as real paths. */
  readonly roots: () => readonly string[]
  readonly isHidden: (path: string) => boolean
  /** What differs in a snapshot from the one before it. */
  readonly changedIn: (snapshotId: string) => Promise<readonly string[]>
}

export interface WatchedFile {
  readonly server: LiveServer
  /** What the model knows of its errors. */
  known: KnownErrors
  /** Whether its errors before the first change are known. */
  isCompared: boolean
}

export interface ChangedFiles {
  readonly watched: ReadonlyMap<string, WatchedFile>
  /** Whether nothing changed yet. */
  readonly isEmpty: () => boolean
  /** Before a call runs: what is known of the files that it names. */
  readonly before: (call: Call, paths: readonly string[]) => void
  readonly after: (call: Call, paths: readonly string[]) => void
  /** A server that runs anyway is given what the model reads, so that errors from before its edits are known. */
  readonly open: (call: Call) => Promise<void>
  /** Gives servers what changed; `mayUse` says whether one may be used at all. */
  readonly update: (mayUse: (server: LiveServer) => Promise<boolean>, signal: AbortSignal) => Promise<void>
  /** Another conversation knows nothing of it. */
  readonly reset: () => void
  readonly onEntry: OnEntry
}

const largestFile = 2_000_000
/** Of the files that one command changes, only these many are checked. */
const mostOfCall = 50

export function openChangedFiles(ports: ChangedFilesPorts): ChangedFiles {
  const { servers, files, stamps } = ports
  const watched = new Map<string, WatchedFile>()
  /** Changed since the server was given them. */
  const changed = new Set<string>()
  /** How files were when the server was given them. */
  const syncedIdentities = new Map<string, Identity>()
  const snapshots = openSnapshots()

  /** Undefined for what a rule hides, and for what lies outside the session's folders. */
  function serverOf(real: string): LiveServer | undefined {
    const server = servers.forFile(real, ports.roots())
    return server && !ports.isHidden(real) ? server : undefined
  }

  async function syncFile(real: string, server: LiveServer, signal: AbortSignal): Promise<void> {
    const content = await files.read(real, largestFile, signal)
    const text = content.ok ? decode(content.value.bytes) : undefined
    if (!content.ok || !text?.ok) return server.forget(real)
    syncedIdentities.set(real, content.value.identity)
    server.sync(real, text.value.text)
  }

  function watch(real: string): void {
    const server = watched.has(real) ? undefined : serverOf(real)
    if (!server) return
    const before = server.problems(real)
    // A file that is not there yet has no errors.
    const isCompared = before !== undefined || !files.stat(real).ok
    watched.set(real, { server, known: knownOf(errorsIn(before ?? [])), isCompared })
    server.start()
  }

  function touch(real: string): void {
    watch(real)
    if (watched.has(real)) changed.add(real)
  }

  /** What a call that names no files may have changed, among those that the model knows. */
  function touchKnown(): void {
    for (const [real, stamp] of stamps.entries())
      if (!watched.has(real) && serverOf(real) && !files.isInState(real, stamp.identity)) touch(real)
  }

  return {
    watched,
    isEmpty: () => watched.size === 0 && snapshots.isEmpty(),
    before(call, paths) {
      if (isOpen(call)) snapshots.begin(call.callId)
      for (const real of paths) watch(real)
    },
    after(call, paths) {
      for (const real of paths) touch(real)
      if (!isOpen(call)) return
      snapshots.end(call.callId)
      touchKnown()
    },
    async open({ footprint, signal }) {
      for (const path of footprint.reads) {
        const real = realPath(path)
        if (syncedIdentities.has(real) || stamps.peek(real) === undefined) continue
        const server = serverOf(real)
        if (server?.isRunning()) await syncFile(real, server, signal)
      }
    },
    async update(mayUse, signal) {
      for (const id of snapshots.drain())
        for (const real of (await ports.changedIn(id)).slice(0, mostOfCall)) if (files.stat(real).ok) touch(real)
      for (const [real, identity] of syncedIdentities)
        if (watched.has(real) && !files.isInState(real, identity)) changed.add(real)
      for (const real of changed) {
        const server = watched.get(real)?.server
        if (!server || !(await mayUse(server)) || signal.aborted) continue
        changed.delete(real)
        server.start()
        await syncFile(real, server, signal)
      }
    },
    reset() {
      watched.clear()
      changed.clear()
    },
    onEntry: snapshots.onEntry,
  }
}

/** Whether it may change files that it does not name. */
const isOpen = ({ footprint }: Call): boolean => footprint.runs.length > 0 || footprint.writes.length === 0

/** The snapshots after calls that may change files which they do not name. */
function openSnapshots(): {
  readonly begin: (callId: string) => void
  readonly end: (callId: string) => void
  readonly isEmpty: () => boolean
  readonly drain: () => readonly string[]
  readonly onEntry: OnEntry
} {
  const running = new Set<string>()
  let ids: string[] = []
  let last = ""
  return {
    begin: (callId) => void running.add(callId),
    end: (callId) => void running.delete(callId),
    isEmpty: () => ids.length === 0,
    drain() {
      const all = ids
      ids = []
      return all
    },
    onEntry: byKind({
      snapshot({ snapshotId, when, callId }) {
        const isNew = snapshotId !== last
        last = snapshotId
        if (isNew && when === "after" && callId !== undefined && running.has(callId)) ids.push(snapshotId)
      },
    }),
  }
}

/** Tells the model, after files changed, which errors a language server finds in them, and which are gone. */

import { byKind } from "#agent/words/follower.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Call } from "#agent/words/middleware.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Files } from "#ground/workspace/files.ts"
import type { Identity } from "#ground/workspace/identity.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import type { LiveServer } from "./live-server.ts"
import { compare, errorsIn, type FileNews, isNews, type Known, knownOf, newsWords, shownWords } from "./news.ts"
import type { Asking, LanguageServers } from "./servers.ts"

export interface LspPatience {
  /** How long a request waits for a server that has answered before. */
  readonly answerMs: number
  /** The same for one that has not: it may be loading the project. */
  readonly firstMs: number
  /** How long the end of a turn waits for what is still missing. */
  readonly restMs: number
}

export const usualPatience: LspPatience = { answerMs: 2_000, firstMs: 1_000, restMs: 3_000 }

export interface LspKitPorts extends Asking {
  readonly servers: LanguageServers
  readonly files: Files
  readonly stamps: Stamps
  readonly paths: Paths
  /** The folders of the session, as real paths. */
  readonly roots: () => readonly string[]
  readonly isHidden: (path: string) => boolean
  /** What differs in a snapshot from the one before it. */
  readonly changedIn: (snapshotId: string) => Promise<readonly string[]>
  readonly patience: LspPatience
}

interface Watched {
  readonly server: LiveServer
  /** What the model knows of its errors. */
  known: Known
  isCompared: boolean
}

const name = "diagnostics"
const largestFile = 2_000_000
/** Of the files that one command changes, only these many are checked. */
const mostOfCall = 50

export function lspKit(ports: LspKitPorts): Kit {
  const { servers, files, stamps } = ports
  const watched = new Map<string, Watched>()
  /** Changed since the server was given them. */
  const changed = new Set<string>()
  /** How files were when the server was given them. */
  const given = new Map<string, Identity>()
  /** Calls that may change files which they do not name. */
  const acting = new Set<string>()
  /** The snapshots after them. */
  const snapshots = new Set<string>()
  let lastSnapshot = ""
  let offered: { readonly text: string; readonly now: readonly (readonly [Watched, Known])[] } | undefined

  /** Undefined for what a rule hides, and for what lies outside the session's folders. */
  function serverOf(real: string): LiveServer | undefined {
    const server = servers.forFile(real, ports.roots())
    return server && !ports.isHidden(real) ? server : undefined
  }

  async function give(real: string, server: LiveServer, signal: AbortSignal): Promise<void> {
    const content = await files.read(real, largestFile, signal)
    const text = content.ok && content.value.bytes.length <= largestFile ? decode(content.value.bytes) : undefined
    if (!content.ok || !text?.ok) {
      server.forget(real)
      return
    }
    given.set(real, content.value.identity)
    server.sync(real, text.value.text)
  }

  /** Before a file changes: what is known of its errors now. */
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

  /** What a command or an agent may have changed, among the files that the model knows. */
  function touchChanged(): void {
    for (const [real, stamp] of stamps.entries())
      if (!watched.has(real) && serverOf(real) && !files.isInState(real, stamp.identity)) touch(real)
  }

  /** A server that runs anyway is given what the model reads, so that errors from before its edits are known. */
  async function open({ footprint, signal }: Call): Promise<void> {
    for (const path of footprint.reads) {
      const real = realPath(path)
      if (given.has(real) || stamps.peek(real) === undefined) continue
      const server = serverOf(real)
      if (server?.isRunning()) await give(real, server, signal)
    }
  }

  async function touchSnapshots(): Promise<void> {
    for (const id of snapshots) {
      snapshots.delete(id)
      for (const real of (await ports.changedIn(id)).slice(0, mostOfCall)) if (files.stat(real).ok) touch(real)
    }
  }

  async function update(signal: AbortSignal): Promise<readonly LiveServer[]> {
    await touchSnapshots()
    for (const [real, identity] of given) if (watched.has(real) && !files.isInState(real, identity)) changed.add(real)
    const paths = [...changed]
    const involved = new Set<LiveServer>([...watched.values()].map(({ server }) => server))
    for (const real of paths) {
      const server = watched.get(real)?.server
      if (!server || (server.permission() === "ask" && !(await servers.approve(server, ports, signal)))) continue
      if (signal.aborted) return []
      changed.delete(real)
      if (server.permission() !== "yes") continue
      server.start()
      await give(real, server, signal)
    }
    return [...involved].filter((server) => server.permission() === "yes")
  }

  function news(): readonly Attachment[] {
    const now: (readonly [Watched, Known])[] = []
    const found: FileNews[] = []
    for (const [path, one] of watched) {
      const problems = one.server.problems(path)
      if (problems === undefined || ports.isHidden(path)) continue
      const errors = errorsIn(problems)
      const difference = compare(one.known, errors)
      if (!isNews(difference)) {
        one.isCompared = true
        continue
      }
      now.push([one, knownOf(errors)])
      found.push({ path, server: one.server.config.name, isCompared: one.isCompared, ...difference })
    }
    if (found.length === 0) return []
    const text = escapeImitations(newsWords(found, ports.paths.show))
    offered = { text, now }
    return [
      {
        name,
        text,
        data: {
          shown: shownWords(found, ports.paths.show),
          files: found.map(({ path, fresh, gone }) => ({ path, fresh: fresh.length, gone })),
        },
      },
    ]
  }

  async function collect(ms: (server: LiveServer) => number, signal: AbortSignal): Promise<readonly Attachment[]> {
    const involved = await update(signal)
    await Promise.all(involved.map((server) => server.wait(ms(server), signal)))
    return signal.aborted ? [] : news()
  }

  return {
    name: "language servers",
    // It waits as long as its patience says, and for the user's answer.
    isAwaited: true,
    async middleware(call, next) {
      const { writes, runs } = call.footprint
      if (isReadOnly(call.footprint) && runs.length === 0) {
        const outcome = await next(call)
        if (servers.live().some((server) => server.isRunning())) await open(call)
        return outcome
      }
      const named = writes.map((path) => realPath(path))
      for (const real of named) watch(real)
      const isOpen = runs.length > 0 || writes.length === 0
      if (isOpen) acting.add(call.callId)
      const outcome = await next(call)
      acting.delete(call.callId)
      for (const real of named) touch(real)
      if (isOpen) touchChanged()
      return outcome
    },
    attachments(signal) {
      offered = undefined
      if (watched.size === 0 && snapshots.size === 0) return []
      const { answerMs, firstMs } = ports.patience
      return collect((server) => (server.hasAnswered() ? answerMs : firstMs), signal)
    },
    async beforeRest(signal) {
      if (watched.size > 0 || snapshots.size > 0) await collect(() => ports.patience.restMs, signal)
    },
    rest: () => (watched.size === 0 ? [] : news()),
    onEntry: byKind({
      snapshot({ snapshotId, when, callId }) {
        const isNew = snapshotId !== lastSnapshot
        lastSnapshot = snapshotId
        if (isNew && when === "after" && callId !== undefined && acting.has(callId)) snapshots.add(snapshotId)
      },
      attachment(entry) {
        // What was not recorded was not told: it is offered again.
        if (entry.name !== name || entry.text !== offered?.text) return
        for (const [one, known] of offered.now) {
          one.known = known
          one.isCompared = true
        }
        offered = undefined
      },
    }),
  }
}

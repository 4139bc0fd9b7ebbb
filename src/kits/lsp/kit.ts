/** Tells the model, after files changed, which errors a language server finds in them, and which are gone. */

import { byKind, onEntryOfAll } from "#agent/words/follower.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { type Paths, realPath } from "#ground/workspace/paths.ts"
import { type ChangedFilesPorts, openChangedFiles, type WatchedFile } from "./changed-files.ts"
import type { LiveServer } from "./live-server.ts"
import { compare, errorsIn, type FileNews, isNews, type KnownErrors, knownOf, newsWords, shownWords } from "./news.ts"
import type { ServerAsking } from "./servers.ts"

export interface LspPatience {
  /** How long a request waits for a server that has answered before. */
  readonly answerMs: number
  /** The same for one that has not: it may be loading the project. */
  readonly firstMs: number
  /** How long the end of a turn waits for what is still missing. */
  readonly restMs: number
  /** The same for a server that has not answered yet, where nobody would hear of it later. */
  readonly loadingMs: number
}

export const usualPatience: LspPatience = { answerMs: 2_000, firstMs: 1_000, restMs: 3_000, loadingMs: 15_000 }

export interface LspKitPorts extends ServerAsking, ChangedFilesPorts {
  readonly paths: Paths
  readonly patience: LspPatience
  /** There is news, although nothing may be running. */
  readonly wake: () => void
  /** The run ends with its turn. */
  readonly isScript: boolean
}

const name = "diagnostics"

export function lspKit(ports: LspKitPorts): Kit {
  const { servers } = ports
  const changes = openChangedFiles(ports)
  /** Whether the last turn ended by itself: what comes after an interrupt waits for the next prompt. */
  let mayWake = false
  let offered: { readonly text: string; readonly now: readonly (readonly [WatchedFile, KnownErrors])[] } | undefined

  /** `errors`: that some are gone is not worth another request. */
  function news(which: "all" | "errors"): readonly Attachment[] {
    const now: (readonly [WatchedFile, KnownErrors])[] = []
    const found: FileNews[] = []
    for (const [path, file] of changes.watched) {
      const problems = file.server.problems(path)
      if (problems === undefined || ports.isHidden(path)) continue
      const errors = errorsIn(problems)
      const difference = compare(file.known, errors)
      if (isNews(difference)) {
        now.push([file, knownOf(errors)])
        found.push({ path, server: file.server.config.name, isCompared: file.isCompared, ...difference })
      } else file.isCompared = true
    }
    if (found.every(({ fresh }) => which === "errors" && fresh.length === 0)) return []
    const text = escapeImitations(newsWords(found, ports.paths.show))
    offered = { text, now }
    const counts = found.map(({ path, fresh, gone }) => ({ path, fresh: fresh.length, gone }))
    return [{ name, text, data: { shown: shownWords(found, ports.paths.show), files: counts } }]
  }

  async function collect(ms: (server: LiveServer) => number, signal: AbortSignal): Promise<readonly Attachment[]> {
    await changes.update((server) => servers.approve(server, ports, signal), signal)
    const involved = new Set([...changes.watched.values()].map(({ server }) => server))
    const onLate = (): void => {
      if (mayWake) ports.wake()
    }
    await Promise.all([...involved].map((server) => server.wait(ms(server), signal, onLate)))
    return signal.aborted ? [] : news("all")
  }

  return {
    name: "language servers",
    // It waits as long as its patience says, and for the user's answer.
    isAwaited: true,
    async middleware(call, next) {
      if (isReadOnly(call.footprint)) {
        const outcome = await next(call)
        if (servers.live().some((server) => server.isRunning())) await changes.open(call)
        return outcome
      }
      const named = call.footprint.writes.map((path) => realPath(path))
      changes.before(call, named)
      try {
        return await next(call)
      } finally {
        changes.after(call, named)
      }
    },
    attachments(signal) {
      offered = undefined
      if (changes.isEmpty()) return []
      const { answerMs, firstMs } = ports.patience
      return collect((server) => (server.hasAnswered() ? answerMs : firstMs), signal)
    },
    async beforeRest(signal) {
      if (changes.isEmpty()) return
      const { restMs, loadingMs } = ports.patience
      await collect(() => restMs, signal)
      if (ports.isScript) await collect((server) => (server.hasAnswered() ? 0 : loadingMs), signal)
    },
    rest: () => (changes.watched.size === 0 ? [] : news("errors")),
    // What another conversation was told, this one does not know.
    conversation: { reset: changes.reset, onEntry: byKind({}) },
    onEntry: onEntryOfAll(
      changes.onEntry,
      byKind({
        turn_end: ({ reason }) => void (mayWake = reason === "completed"),
        turn_start: () => void (mayWake = false),
        attachment(entry) {
          // What was not recorded was not told: it is offered again.
          if (entry.name !== name || entry.text !== offered?.text) return
          for (const [file, known] of offered.now) {
            file.known = known
            file.isCompared = true
          }
          offered = undefined
        },
      }),
    ),
  }
}

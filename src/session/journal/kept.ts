/** The log of a session: opened, locked, and read when it is continued. */

import type { Entry } from "#agent/words/entry.ts"
import { loadSession } from "#ground/transcript/load.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { type Log, type LogCopy, type LogFailure, openLog } from "#ground/transcript/log.ts"
import type { SessionLogs } from "#ground/transcript/session-logs.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type LogChoice =
  | { readonly kind: "new"; readonly folder?: string }
  /**
   * `folder`: for what belongs to the session but not into its log; beside the log when absent. `why`: why a turn in it was cut off, where that is
   * not because the program ended.
   */
  | { readonly kind: "resume"; readonly path: string; readonly folder?: string; readonly why?: string }
  | { readonly kind: "none" }

export interface Kept {
  readonly log: Log | undefined
  readonly entries: readonly Entry[]
  readonly notes: readonly string[]
  readonly unreadBytes: number
  /** The first entry that watchers are shown; those before it are read from the log when somebody looks at them. */
  readonly wholeFrom: number
  readonly unlock: () => void
}

export type KeptFailure = { readonly kind: "log" | "in_use"; readonly message: string }

export function openKept(options: {
  readonly id: string
  readonly log: LogChoice
  readonly copy?: LogCopy
  readonly sessionLogs: SessionLogs
  readonly version: string
  readonly cwd: string
  readonly pid: number
  /** Whether this process has locked what a new log belongs to: those of agents are in the folder of their parent. */
  readonly isCovered: boolean
}): Result<Kept, KeptFailure> {
  const { id, log: choice, copy, sessionLogs, version, cwd, pid, isCovered } = options
  const nothing = { entries: [], notes: [], unreadBytes: 0, wholeFrom: 0 }
  if (choice.kind === "none") return ok({ log: undefined, ...nothing, unlock: () => {} })
  const path = choice.kind === "resume" ? choice.path : sessionLogs.logPath(id)
  const logFailure = (message: string): Result<never, KeptFailure> => failed({ kind: "log", message })
  const log = openLog(path, { sessionId: id, version, cwd, isNew: choice.kind === "new", copy })
  if (!log.ok) return logFailure(unsavedWords(log.failure))
  const lock = choice.kind === "new" && isCovered ? ok(() => {}) : takeLock(`${path}.lock`, pid)
  if (!lock.ok) {
    log.value.close()
    return lock.failure.kind === "held"
      ? failed({
          kind: "in_use",
          message: heldWords(lock.failure),
        })
      : logFailure(`The session cannot be locked: ${lock.failure.message}`)
  }
  const unlock = lock.value
  if (choice.kind === "new") return ok({ log: log.value, ...nothing, unlock })
  const loaded = loadSession(path)
  if (!loaded.ok) {
    log.value.close()
    unlock()
    return logFailure(
      loaded.failure.kind === "newer"
        ? `The session was written by a newer Codewright (format ${loaded.failure.format}). Update to open it.`
        : `The session cannot be read: ${loaded.failure.message}`,
    )
  }
  return ok({ log: log.value, ...loaded.value, unlock })
}

const heldWords = ({ pid, host }: { readonly pid: number; readonly host?: string }): string =>
  host === undefined
    ? `The session is already open, in process ${pid}. Close it there first.`
    : `The session is open on ${host}, in process ${pid}, or was a moment ago. Close it there first; if it was killed, try again in two minutes.`

export const unsavedWords = ({ message, path }: LogFailure): string =>
  `The session cannot be saved: ${message} (${path}). Set CODEWRIGHT_HOME to a folder that can be written, or use --no-session-persistence.`

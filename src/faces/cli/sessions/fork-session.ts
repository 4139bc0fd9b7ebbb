/** Makes the copy with which `--fork-session` goes on. */

import { forkLog } from "#ground/transcript/fork.ts"
import type { SessionLogs } from "#ground/transcript/session-logs.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function forkSession(
  from: { readonly id: string; readonly path: string },
  to: {
    readonly id: string
    readonly sessionLogs: SessionLogs
    readonly setting: Pick<StartupContext, "cwd" | "environment">
  },
): Result<Pick<SessionOptions, "id" | "log">, StartFailure> {
  const { id, sessionLogs, setting } = to
  const path = sessionLogs.logPath(id)
  const origin = {
    sessionId: id,
    cwd: setting.cwd,
    version,
    gitBranch: findRepository(setting.cwd)?.branch ?? "",
    entrypoint: setting.environment.entrypoint,
  }
  const forked = forkLog({ from: { sessionId: from.id, path: from.path }, to: path, origin })
  if (forked.ok) return ok({ id, log: { kind: "resume", path } })
  return wrong(
    forked.failure.kind === "newer"
      ? `The session was written by a newer Codewright (format ${forked.failure.format}). Update to copy it.`
      : `The session could not be copied: ${forked.failure.message}`,
  )
}

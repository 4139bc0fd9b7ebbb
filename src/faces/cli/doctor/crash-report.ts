/** What is said and kept when the face itself fails: the user gets a sentence and a file, not a stack. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"

/** Returns the path. The report contains the stack, never the conversation. */
export function keepCrashReport(state: string, sessionId: string, error: unknown): Result<string, string> {
  const at = new Date(systemClock.now()).toISOString()
  const folder = join(state, "logs")
  const path = join(folder, `crash-${at.replaceAll(/[:.]/g, "-")}.txt`)
  const lines = [
    `Codewright ${version}, Bun ${Bun.version}, ${process.platform} ${process.arch}`,
    `${at}, session ${sessionId}`,
    "",
    maskSecrets(error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)),
    "",
  ]
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, lines.join("\n"), { mode: 0o600 })
    return ok(path)
  } catch (problem) {
    return failed(problem instanceof Error ? problem.message : String(problem))
  }
}

export function crashWords(report: Result<string, string>, sessionId: string): string {
  const where = report.ok
    ? `A crash report is in ${report.value}.`
    : `The crash report could not be written: ${report.failure}`
  return `Codewright crashed because of a bug. ${where} Resume with: codewright --resume ${sessionId}`
}

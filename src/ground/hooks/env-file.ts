/**
 * The file to which hooks may append variables for a session's commands. It is in the state folder, where the model's
 * tools may not write without asking: whatever is in it runs before every command.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export const hookEnvFile = (stateFolder: string, sessionId: string): string =>
  join(stateFolder, "session-env", sessionId, "hooks.sh")

/** Creates it empty; false if that failed. */
export function beginEnvFile(path: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, "", { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

export function endEnvFile(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true })
}

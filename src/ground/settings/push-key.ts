/** The key for notifications of browsers, as this machine keeps it: devices trust one server by it, so it stays. */

import { join } from "node:path"
import { replaceFile } from "#lib/state-file.ts"
import { ok, type Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"
import { textOfFile } from "#lib/quietly.ts"

export interface KeptPushKey {
  readonly path: string
  readonly text: string
}

/** The fresh one if there is none yet. */
export async function keepPushKey(state: string, fresh: () => Promise<string>): Promise<Result<KeptPushKey, string>> {
  const path = join(state, "push-key")
  const kept = textOfFile(path)
  if (kept !== undefined) return ok({ path, text: kept })
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const text = await fresh()
  const written = replaceFile(path, `${text}\n`)
  return written.ok ? ok({ path, text }) : written
}

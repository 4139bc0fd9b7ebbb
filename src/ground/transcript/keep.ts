/** Stores what is too long for the conversation in a file beside the session's log. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"

/** Bytes that a server gave, under a name of ours. */
export async function keepBytes(
  sessionFolder: string,
  name: string,
  bytes: Uint8Array,
): Promise<Result<string, string>> {
  const folder = join(sessionFolder, "results")
  const path = join(folder, name.replace(/[^A-Za-z0-9_.-]/g, "_"))
  try {
    const { mkdir, writeFile } = await import("node:fs/promises")
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, bytes, { mode: 0o600 })
    return ok(path)
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** `absent`: an existing file stays, because it already has everything that is to be kept. */
export async function keepResult(
  sessionFolder: string,
  callId: string,
  text: string,
  when: "always" | "absent" = "always",
): Promise<Result<string, string>> {
  const folder = join(sessionFolder, "results")
  const path = join(folder, `${callId.replace(/[^A-Za-z0-9_-]/g, "_")}.txt`)
  try {
    const { mkdir, writeFile } = await import("node:fs/promises")
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600, flag: when === "absent" ? "wx" : "w" })
    return ok(path)
  } catch (error) {
    if (when === "absent" && existsSync(path)) return ok(path)
    return failed(error instanceof Error ? error.message : String(error))
  }
}

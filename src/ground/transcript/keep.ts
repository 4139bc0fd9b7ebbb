/** Stores what is too long for the conversation in a file beside the session's log. */

import { appendFileSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs"
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

/** A text that comes in pieces. `close` says where it is, for the model; undefined if there can be no file. */
export function openLongResult(
  sessionFolder: string,
  name: string,
): { readonly add: (text: string) => void; readonly close: () => string } | undefined {
  const folder = join(sessionFolder, "results")
  const path = join(folder, `${name}.txt`)
  let characters = 0
  let isWhole = true
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fd = openSync(path, "wx", 0o600)
    return {
      add(text) {
        characters += text.length
        try {
          if (isWhole) appendFileSync(fd, text)
        } catch {
          isWhole = false
        }
      },
      close() {
        closeSync(fd)
        const where = isWhole ? "The whole result is" : "The disk was full: as much as fits of it is"
        return `[cut: of ${characters} characters only the beginning and the end are shown. ${where} in ${path}; Read it in parts.]`
      },
    }
  } catch {
    return undefined
  }
}

/** Small session files that users read too: plans and what was extracted from them. */

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isMissing } from "#lib/error-code.ts"

export interface PlanFiles {
  /** Undefined when there is none. The failure is a sentence. */
  readonly read: (path: string) => Result<string | undefined, string>
  /** Replaces the file atomically; creates the folder if it is missing. */
  readonly write: (path: string, text: string) => Result<void, string>
  readonly exists: (path: string) => boolean
}

/** No plan is this long. */
const mostBytes = 4_000_000

export function openPlanFiles({ ids }: { readonly ids: Ids }): PlanFiles {
  return {
    read(path) {
      try {
        const stat = lstatSync(path, { throwIfNoEntry: false })
        if (stat === undefined) return ok(undefined)
        // A link could show a file that is not a plan, and a pipe would block forever.
        if (!stat.isFile()) return failed(`${path} is no plain file.`)
        if (stat.size > mostBytes) return failed(`${path} is too large for a plan (${stat.size} bytes).`)
        return ok(readFileSync(path, "utf8"))
      } catch (error) {
        return isMissing(error) ? ok(undefined) : failed(`${path} cannot be read: ${messageOf(error)}`)
      }
    },
    write(path, text) {
      const staged = `${path}.${ids.uuid()}.tmp`
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        writeFileSync(staged, text, { mode: 0o600, flag: "wx" })
        renameSync(staged, path)
        return ok(undefined)
      } catch (error) {
        rmSync(staged, { force: true })
        return failed(`${path} cannot be written: ${messageOf(error)}`)
      }
    },
    exists(path) {
      try {
        return lstatSync(path, { throwIfNoEntry: false }) !== undefined
      } catch {
        return false
      }
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Starts a run of a workflow in a process of its own, which goes on when this one ends. */

import { closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { openRunRecord } from "#fleet/workflow/run-record.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { ownProgram } from "#faces/cli/own-program.ts"

export interface StartedRun {
  /** What it prints for people. */
  readonly output: string
  readonly exited: Promise<number>
}

/** The failure is a sentence. */
export function startRun(
  { id, file, flags }: { readonly id: string; readonly file: string; readonly flags: readonly string[] },
  { cwd, state }: { readonly cwd: string; readonly state: string },
): Result<StartedRun, string> {
  const program = ownProgram()
  if (!program) return failed("Workflows need the codewright program.")
  const { folder } = openRunRecord(state, id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, "output.txt")
  const output = openSync(path, "a", 0o600)
  const child = Bun.spawn([...program, "workflow", "run", file, "--id", id, ...flags], {
    cwd,
    env: processEnvironment(),
    stdio: ["ignore", "ignore", output],
    detached: true,
  })
  child.unref()
  closeSync(output)
  return ok({ output: path, exited: child.exited })
}

/** Why a run failed, where its record does not say. */
export const lastLine = async (path: string): Promise<string> =>
  (await Bun.file(path).text())
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^error: /, "") ?? ""

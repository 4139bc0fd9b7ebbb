/** A resumed session continues in its own folder, wherever the user is. */

import { join } from "node:path"
import { processEnvironment, type RawEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { homeFolder, projectSlug, stateFolder } from "#ground/settings/state-folder.ts"
import { isSessionId, openSessionLogs } from "#ground/transcript/session-logs.ts"
import { simulatorName } from "#ground/models/simulated.ts"
import { statsOf } from "#lib/quietly.ts"
import { ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import { readOpening } from "#session/opening/opening.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { realFolder } from "#faces/cli/startup-context.ts"

export interface ResumedFolder {
  readonly folder: string
  readonly note: string
}

interface Resumed {
  readonly id: string
  readonly path: string
  readonly home: string
  readonly cwd: string
  readonly own: string | undefined
}

/**
 * Undefined where it is the folder we are in, and where there is no session to find: then the start says so. A copy begins
 * where the user is.
 */
export async function resumedFolder(
  args: Arguments<FlagName>,
  folder: string | undefined,
  raw: RawEnvironment = processEnvironment(),
): Promise<Result<ResumedFolder | undefined, StartFailure>> {
  const resumed = args.has("fork-session") ? undefined : await findResumed(args, folder, raw)
  if (resumed?.own === undefined || resumed.own === resumed.cwd) return ok(undefined)
  const { id, own, home } = resumed
  if (!statsOf(own)?.isDirectory())
    return wrong(
      `The folder of this session no longer exists: ${own}. To continue the conversation in the current folder, in a copy: --resume ${id} --fork-session`,
    )
  return ok({ folder: own, note: `Continuing in ${tilde(own, home)}, the folder of this session.` })
}

/** Whether the session was tried out with the simulator, so that it can continue without a model. */
export async function isSimulated(args: Arguments<FlagName>, folder: string | undefined): Promise<boolean> {
  const resumed = await findResumed(args, folder, processEnvironment())
  const opening = resumed && readOpening(resumed.path)
  return opening?.ok === true && (opening.value.model.id.split("/")[0] ?? "") === simulatorName
}

async function findResumed(
  args: Arguments<FlagName>,
  folder: string | undefined,
  raw: RawEnvironment,
): Promise<Resumed | undefined> {
  const words = args.value("resume")?.trim()
  const cwd = realFolder(folder)
  if (cwd === undefined || (words ? false : !args.has("continue"))) return undefined
  const environment = readEnvironment(raw)
  const home = homeFolder(environment)
  const state = stateFolder(environment, home)
  const sessionLogs = openSessionLogs({ projects: join(state, "projects"), slug: projectSlug(cwd) })
  const found = await meant()
  return found && { ...found, home, cwd, own: sessionLogs.folderOf(found.path) }

  async function meant(): Promise<{ readonly id: string; readonly path: string } | undefined> {
    const id = words === undefined ? sessionLogs.newest(cwd ?? "") : words
    if (id === undefined) return undefined
    const path = sessionLogs.find(id)
    if (path !== undefined || isSessionId(id)) return path === undefined ? undefined : { id, path }
    const { findSession } = await import("./find-session.ts")
    const named = await findSession(id, { state, cwd: cwd ?? "" })
    return named.ok ? { id: named.value.id, path: named.value.path } : undefined
  }
}

/** Which conversation: a new one, one of before, or one that is not kept. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makePrivateFolder, projectSlug } from "#ground/settings/state-folder.ts"
import { isSessionId, openShelf, type Shelf } from "#ground/transcript/shelf.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/open.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage, wrong } from "./failure.ts"
import type { FlagName } from "./flags.ts"
import type { Setting } from "./setting.ts"

export interface ChosenSession extends Pick<SessionOptions, "id" | "log" | "shelf"> {
  /** Removes what must not outlive the session. */
  readonly forget: () => void
}

export function chooseSession(
  args: Arguments<FlagName>,
  { state, cwd }: Pick<Setting, "state" | "cwd">,
): Result<ChosenSession, StartFailure> {
  const asked = args.value("session-id")
  if (asked !== undefined && !isSessionId(asked)) return usage(`--session-id takes a UUID, not '${asked}'.`)
  const slug = projectSlug(cwd)
  const shelf = openShelf({ projects: join(state, "projects"), slug })
  const resumed = args.value("resume")
  const goesOn = resumed !== undefined || args.has("continue")
  if (args.has("no-session-persistence"))
    return goesOn
      ? usage("--no-session-persistence is for new sessions: one that is resumed is on disk already.")
      : passing(asked ?? systemIds.uuid(), slug)

  const found = goesOn ? resume(resumed, shelf, cwd) : begin(asked, shelf)
  if (!found.ok) return found
  const made = makePrivateFolder(state)
  return made.ok ? ok({ ...found.value, shelf, forget: () => {} }) : wrong(made.failure)
}

type Found = Result<Pick<SessionOptions, "id" | "log">, StartFailure>

function resume(resumed: string | undefined, shelf: Shelf, cwd: string): Found {
  const id = resumed ?? shelf.newest(cwd)
  if (id === undefined)
    return wrong("There is no conversation in this folder to go on with. Start one without --continue.")
  if (id === "") return usage("--resume needs the id of a session; --continue takes the newest of this folder.")
  const path = shelf.find(id)
  if (path === undefined) return wrong(`No conversation found with session ID: ${id}`)
  return ok({ id, log: { kind: "resume", path } })
}

function begin(asked: string | undefined, shelf: Shelf): Found {
  if (asked !== undefined && shelf.find(asked) !== undefined)
    return usage(`A session with the id ${asked} exists already. Use --resume ${asked} to go on with it.`)
  return ok({ id: asked ?? systemIds.uuid(), log: { kind: "new" } })
}

/** Long outputs and what commands need lie in a folder that goes with the session. */
function passing(id: string, slug: string): Result<ChosenSession, StartFailure> {
  try {
    const projects = mkdtempSync(join(tmpdir(), "codewright-"))
    return ok({
      id,
      log: { kind: "none" },
      shelf: openShelf({ projects, slug }),
      forget: () => rmSync(projects, { recursive: true, force: true }),
    })
  } catch (error) {
    return wrong(`No folder for passing files could be made (${String(error)}). Set TMPDIR to one that can be written.`)
  }
}

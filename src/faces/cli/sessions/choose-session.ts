/** Which conversation: a new one, one of before, a copy of one, or one that is not kept. */

import { join } from "node:path"
import { makePrivateFolder, projectSlug } from "#ground/settings/state-folder.ts"
import { isSessionId, openSessionLogs, type SessionLogs } from "#ground/transcript/session-logs.ts"
import { removeFolder } from "#ground/workspace/remove-folder.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type StartFailure, usage, wrong } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { resumeAt } from "./resume-at.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface ChosenSession extends Pick<SessionOptions, "id" | "log" | "sessionLogs"> {
  readonly forkedFrom?: EarlierSession
  /** The entry to continue after, if it is not the last. */
  readonly at?: string
  /** Removes what must not outlive the session. */
  readonly forget: () => void
}

export interface EarlierSession {
  readonly id: string
  readonly path: string
}

export async function chooseSession(
  args: Arguments<FlagName>,
  setting: Pick<StartupContext, "state" | "cwd" | "environment">,
): Promise<Result<ChosenSession, StartFailure>> {
  const { state, cwd } = setting
  const asked = args.value("session-id")
  if (asked !== undefined && !isSessionId(asked)) return usage(`--session-id takes a UUID, not '${asked}'.`)
  if (args.value("name")?.trim() === "") return usage("--name is empty. Give the session a title.")
  const slug = projectSlug(cwd)
  const sessionLogs = openSessionLogs({ projects: join(state, "projects"), slug })
  const goesOn = args.has("resume") || args.has("continue")
  const alone = (["fork-session", "take-over", "resume-session-at"] as const).find((flag) => args.has(flag))
  if (alone && !goesOn)
    return usage(`--${alone} needs --resume or --continue: there is no session to ${flagVerbs[alone]}.`)
  if (args.has("resume-drops-turn") && !args.has("resume-session-at"))
    return usage("--resume-drops-turn needs --resume-session-at: nothing would be left out.")
  if (args.has("fork-session") && args.has("take-over"))
    return usage(
      "--fork-session continues in a copy, --take-over stops the process that has the session open. Use one of them.",
    )
  if (args.has("no-session-persistence"))
    return goesOn
      ? usage("--no-session-persistence works only for new sessions: a resumed session is already on disk.")
      : passing(asked ?? systemIds.uuid(), slug)

  const made = makePrivateFolder(state)
  if (!made.ok) return wrong(made.failure)
  if (!goesOn) {
    const found = begin(asked, sessionLogs)
    return found.ok ? ok({ ...found.value, sessionLogs, forget: () => {} }) : found
  }
  const earlier = await resume(args.value("resume"), sessionLogs, setting)
  if (!earlier.ok) return earlier
  const { id, path } = earlier.value
  const message = args.value("resume-session-at")
  const place =
    message === undefined
      ? undefined
      : resumeAt(path, { message, ...optional("drops", args.value("resume-drops-turn")) })
  if (place && !place.ok) return place
  const at = optional("at", place?.value)
  if (args.has("fork-session")) {
    const taken = asked === undefined ? undefined : sessionLogs.find(asked)
    if (taken !== undefined)
      return usage(`A session with the id ${asked} already exists. Choose another id for the copy.`)
    const { forkSession } = await import("./fork-session.ts")
    const fork = forkSession(earlier.value, { id: asked ?? systemIds.uuid(), sessionLogs, setting })
    return fork.ok ? ok({ ...fork.value, ...at, sessionLogs, forkedFrom: earlier.value, forget: () => {} }) : fork
  }
  if (args.has("take-over")) {
    const { takeOver } = await import("./take-over.ts")
    const free = await takeOver(path, { id, state })
    if (!free.ok) return free
  }
  return ok({ id, ...at, log: { kind: "resume", path }, sessionLogs, forget: () => {} })
}

const flagVerbs = { "fork-session": "copy", "take-over": "take over", "resume-session-at": "return to" } as const

async function resume(
  resumed: string | undefined,
  sessionLogs: SessionLogs,
  { state, cwd }: Pick<StartupContext, "state" | "cwd">,
): Promise<Result<EarlierSession, StartFailure>> {
  const id = resumed ?? sessionLogs.newest(cwd)
  if (id === undefined) return wrong("This folder has no conversation to continue. Start one without --continue.")
  if (id.trim() === "")
    return usage("--resume needs a session id. To continue the newest session of this folder, use --continue.")
  const path = sessionLogs.find(id)
  if (path !== undefined) return ok({ id, path })
  if (isSessionId(id)) return wrong(`No conversation found with session ID: ${id}`)
  return (await import("./find-session.ts")).findSession(id, { state, cwd })
}

function begin(
  asked: string | undefined,
  sessionLogs: SessionLogs,
): Result<Pick<SessionOptions, "id" | "log">, StartFailure> {
  if (asked !== undefined && sessionLogs.find(asked) !== undefined)
    return usage(`A session with the id ${asked} already exists. Use --resume ${asked} to continue it.`)
  return ok({ id: asked ?? systemIds.uuid(), log: { kind: "new" } })
}

/** Long outputs and the files of commands are in a folder that is removed with the session. */
function passing(id: string, slug: string): Result<ChosenSession, StartFailure> {
  const made = makeTemporaryFolder("codewright-")
  if (!made.ok) return wrong(made.failure)
  const projects = made.value
  return ok({
    id,
    log: { kind: "none" },
    sessionLogs: openSessionLogs({ projects, slug }),
    // The watchdog removes its own part of it at the same moment.
    forget: () => removeFolder(projects),
  })
}

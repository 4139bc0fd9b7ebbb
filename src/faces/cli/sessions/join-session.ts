/** Uses a session that another process of this user has open, and continues it here if that process ends. See decision 135. */

import { holderOf } from "#ground/transcript/lock.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { attachSession } from "#session/port/attach-session.ts"
import { continuedSession } from "#session/port/continued-session.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { openingFlags } from "#faces/cli/flags/opening-flags.ts"
import type { Connection } from "#faces/cli/models/connect.ts"
import { isBackground } from "./is-background.ts"
import type { Started } from "./started.ts"
import { socketOf } from "./shared-session.ts"

export interface JoinParts {
  readonly id: string
  /** Of its log. */
  readonly path: string
  readonly args: Arguments<FlagName>
  readonly state: string
  readonly connection: Connection
  /** Of the editor that joins. */
  readonly buffers: SessionOptions["place"]["buffers"]
  /** Opens it here, or joins whoever was quicker; the words are for the log. */
  readonly reopen: (words: string) => Promise<Result<Started, StartFailure>>
}

/** Undefined if its process cannot be reached. */
export async function joinSession(parts: JoinParts): Promise<Result<Started, StartFailure> | undefined> {
  const { connection } = parts
  const attached = await attachedSoon(parts)
  if (!attached.ok) {
    if (attached.failure.kind === "unreachable") return undefined
    await connection.close()
    return wrong(otherVersion(attached.failure))
  }
  const { pid } = attached.value
  const session = continuedSession({ attached: attached.value, pause, reopen: () => reopened(parts, pid) })
  return ok({
    session,
    models: connection.models,
    apiKeySource: connection.apiKeySource,
    leftOut: [],
    notes: [...connection.notes, ...sharedWords(parts, pid)],
    fileNotes: [],
    initialPrompt: undefined,
    // What the user selects goes to the process that has the session open.
    editor: undefined,
    ended: session.failure,
    async close(how) {
      await session.close(how)
      await connection.close()
    },
  })
}

/** A session is offered a moment after its first prompt, so one that was just begun is tried again. */
async function attachedSoon({ id, path, state, buffers }: JoinParts): ReturnType<typeof attachSession> {
  for (let attempt = 1; ; attempt++) {
    const attached = await attachSession(socketOf(state, id), { id, version, buffers })
    if (attached.ok || attached.failure.kind !== "unreachable" || attempt >= offerLooks) return attached
    if (holderOf(`${path}.lock`, process.pid) === undefined) return attached
    await pause()
  }
}

const lookEveryMs = 50
const offerLooks = 20
/** A process that closes a session gives its commands time to end. */
const looks = 600

const pause = (): Promise<void> => systemClock.sleep(lookEveryMs, new AbortController().signal)

async function reopened({ path, reopen }: JoinParts, pid: number): Promise<Result<Started["session"], string>> {
  const words = `Process ${pid}, which had this session open, has ended. It continues in process ${process.pid}.`
  const holder = (): number | undefined => holderOf(`${path}.lock`, process.pid)?.pid
  for (let attempt = 1; ; attempt++) {
    if (holder() !== pid || attempt >= looks) {
      const started = await reopen(words)
      if (started.ok) return ok({ ...started.value.session, close: started.value.close })
      // Whoever was quicker may not offer it yet.
      if (attempt >= looks || holder() === undefined) return failed(started.failure.message)
    }
    await pause()
  }
}

const otherVersion = (there: { readonly pid: number; readonly version: string }): string =>
  `The session is open in process ${there.pid}, in version ${there.version} of Codewright; this is version ${version}. Close it there first.`

/** What the session was opened with counts. */
function sharedWords({ args, state, id }: JoinParts, pid: number): readonly string[] {
  const unused = opening.filter((name) => args.has(name)).map((name) => `--${name}`)
  const joined = isBackground(state, id)
    ? "The session works in the background and continues when you leave."
    : `The session is also open in process ${pid}. Closing it here does not end it there.`
  return unused.length === 0 ? [joined] : [joined, `Its own options apply. Not used: ${unused.join(", ")}.`]
}

/** Flags that say how a session is opened. */
const opening: readonly FlagName[] = [...openingFlags, "goal", "system-prompt", "system-prompt-file", "name"]

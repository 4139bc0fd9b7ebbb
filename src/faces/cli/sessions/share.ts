/** One session in several faces, as far as every start knows of it: the rest is loaded when it is needed. See decision 135. */

import { systemClock } from "#lib/clock.ts"
import { lazily } from "#lib/lazily.ts"
import type { Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { AttachedEditors } from "#session/port/attached-editors.ts"
import type { Session } from "#session/port/session.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { Connection } from "#faces/cli/models/connect.ts"
import { isBackground } from "./is-background.ts"
import type { Started } from "./started.ts"

/** So long after the first prompt that the request is on its way. */
const offerAfterMs = 50

/** Other faces can attach once it has a prompt: nobody knows of it before, and a start costs nothing more. */
export function sharedLater(
  session: Session,
  log: SessionOptions["log"]["kind"],
  state: string,
  editors: AttachedEditors | undefined,
): Session {
  if (log === "none") return session
  let isOver = false
  let stop = (): void => {}
  const offer = lazily(() => {
    stop = systemClock.after(offerAfterMs, () => void open())
  })
  async function open(): Promise<void> {
    const { offerHere } = await import("./shared-session.ts")
    if (!isOver) stop = offerHere(session, state, { editors })
  }
  if (log === "resume") offer()
  return {
    ...session,
    submit(op) {
      offer()
      return session.submit(op)
    },
    close(how) {
      // First: a session that is left with a question open ends in entries that the log does not keep.
      isOver = true
      stop()
      return session.close(how)
    },
  }
}

/** Undefined if no other process has it open, or that process cannot be reached. */
export async function joinIfOpen({
  args,
  which: { id, log },
  ...parts
}: {
  readonly args: Arguments<FlagName>
  readonly state: string
  readonly which: Pick<SessionOptions, "id" | "log">
  readonly connection: Connection
  /** Of the editor that joins. */
  readonly buffers: SessionOptions["place"]["buffers"]
  readonly reopen: (words: string) => Promise<Result<Started, StartFailure>>
}): Promise<Result<Started, StartFailure> | undefined> {
  if (log.kind !== "resume" || args.has("take-over") || args.has("resume-session-at")) return undefined
  if (isBackground(parts.state, id)) {
    const { waitForHost } = await import("#faces/cli/background/wait-for-host.ts")
    const opened = await waitForHost(id, parts.state)
    if (!opened.ok) return wrong(opened.failure)
  }
  const { holderOf } = await import("#ground/transcript/lock.ts")
  const holder = holderOf(`${log.path}.lock`, process.pid)
  if (!holder || holder.pid === process.pid) return undefined
  return (await import("./join-session.ts")).joinSession({ ...parts, args, id, path: log.path })
}

/** `--init-only`: the hooks that prepare a project, and those of the start; nothing is sent to a model. */

import { type ExitStyle, usageError } from "#faces/headless/exit.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { StartFailure } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"

/** Gives the exit code: 1 if a required hook failed. */
export async function initOnly(args: Arguments<FlagName>, io: Io, folder?: string): Promise<number> {
  const style: ExitStyle = args.has("detailed-exit-codes") ? "detailed" : "plain"
  const refuse = ({ kind, message }: StartFailure): number => {
    io.fail(message)
    return kind === "usage" ? usageError[style] : 1
  }
  const setting = await readSetting(unkept(args), folder)
  if (!setting.ok) return refuse(setting.failure)
  const started = await startSession(unkept(args), setting.value, "headless")
  if (!started.ok) return refuse(started.failure)
  const { session, notes, fileNotes, close } = started.value
  for (const note of [...notes, ...fileNotes]) io.warn(note)
  const events = session.events("beginning")[Symbol.asyncIterator]()
  const noticesPrinted = (async () => {
    for (let next = await events.next(); !next.done; next = await events.next())
      if (next.value.type === "entry" && next.value.entry.kind === "notice") io.warn(next.value.entry.text)
  })()
  const why = await session.ask({ type: "started" })
  if (why !== null) io.fail(why)
  await close()
  await noticesPrinted
  return why === null ? 0 : 1
}

/** There is no conversation to keep. */
const unkept = (args: Arguments<FlagName>): Arguments<FlagName> => ({
  ...args,
  has: (name) => name === "no-session-persistence" || args.has(name),
})

/** `/bg`: the session of this terminal continues in the background. */

import { systemIds } from "#lib/ids.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { isBackground } from "#faces/cli/sessions/is-background.ts"
import type { Started } from "#faces/cli/sessions/started.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { handOver } from "./hand-over.ts"

export async function moveToBackground(
  text: string,
  {
    args,
    setting,
    started,
    io,
  }: {
    readonly args: Arguments<FlagName>
    readonly setting: StartupContext
    readonly started: Started
    readonly io: Io
  },
): Promise<number> {
  const { session, close } = started
  // Only a session of another process can end although nobody closed it here.
  const isShared = started.ended !== undefined
  const { id } = session
  const short = id.slice(0, 8)
  if (isShared && !isBackground(setting.state, id)) {
    await close()
    return io.fail(`Another process has session ${short} open and continues it. Type /bg there.`)
  }
  // Its end is not recorded: the host finds it in the middle of its turn, and continues.
  await close("handing over")
  const handover = await handOver({
    id,
    args,
    setting,
    ...(text !== "" && { prompt: { id: systemIds.uuid(), text } }),
  })
  if (!handover.ok) return io.fail(handover.failure)
  io.say(`Session ${short} continues in the background.\nOpen it again: codewright attach ${short}`)
  return 0
}

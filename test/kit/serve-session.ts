/** A program that opens a session as the terminal would, which offers it to others, and does nothing else. */

import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { socketOf } from "#faces/cli/sessions/shared-session.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"

const args = parseArguments(process.argv.slice(2), flags)
if (!args.ok) throw new Error(args.failure.message)
const setting = await readSetting(args.value)
if (!setting.ok) throw new Error(setting.failure.message)
const started = await startSession(args.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const { id, submit } = started.value.session
// It is offered with the first op.
await submit({ type: "wake" })
process.stdout.write(JSON.stringify({ id, path: socketOf(setting.value.state, id) }))
// The socket alone does not keep it running.
const stays = setInterval(() => {}, 1_000_000)
process.once("SIGTERM", () => {
  clearInterval(stays)
  void started.value.close().then(() => process.exit(0))
})

/** A program that opens a session as the terminal would, offers it on a socket, and does nothing else. */

import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"
import { offerSession } from "./offer-session.ts"

const [path = "", ...argv] = process.argv.slice(2)
const args = parseArguments(argv, flags)
if (!args.ok) throw new Error(args.failure.message)
const setting = await readSetting(args.value)
if (!setting.ok) throw new Error(setting.failure.message)
const started = await startSession(args.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const offered = offerSession(started.value.session, path)
process.stdout.write("ready\n")
process.once("SIGTERM", () => {
  void started.value.close().then(() => {
    offered.stop()
    process.exit(0)
  })
})

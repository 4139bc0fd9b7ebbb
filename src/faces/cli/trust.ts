/** `codewright trust`: from now on a folder's own settings count. */

import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { homeFolder, stateFolder } from "#ground/settings/state-folder.ts"
import { trustFolder } from "#ground/settings/trust.ts"
import { systemClock } from "#lib/clock.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./command-help.ts"
import type { Io } from "./io.ts"

const help: CommandHelp = {
  usage: ["codewright trust [folder]"],
  about:
    "From now on the folder's own settings count: rules that allow, variables, programs. Without a folder, the one you are in. " +
    "When what they would run changes, they are left out again until you have looked.",
}

export async function trustCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const [folder = ".", ...more] = argv
  if (more.length > 0 || folder.startsWith("-"))
    return io.fail("trust takes one folder, such as: codewright trust . (the one you are in, when none is named)")
  const environment = readEnvironment(processEnvironment())
  const state = stateFolder(environment, homeFolder(environment))
  const trusted = trustFolder({ state, folder, clock: systemClock })
  if (!trusted.ok) return io.fail(trusted.failure)
  io.writeForeign(`Trusted: ${trusted.value}\n`)
  return 0
}

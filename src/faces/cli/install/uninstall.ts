/** `codewright uninstall`: removes the program, and sessions and settings if that is wanted. */

import { existsSync, rmSync } from "node:fs"
import { type OtherInstallation, type OwnInstallation, ownerOf } from "#ground/installation/owner.ts"
import { removeInstallation } from "#ground/installation/remove.ts"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { liesIn } from "#lib/lies-in.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { isCompiled } from "#faces/cli/own-program.ts"
import { agrees } from "#faces/cli/terminal/agrees.ts"
import { whereWeAre } from "#faces/cli/where.ts"

type UninstallFlag = "keep-data" | "all"

const table: readonly Flag<UninstallFlag>[] = [
  { name: "keep-data", kind: "switch", about: "Keep sessions, settings and saved keys." },
  { name: "all", kind: "switch", about: "Remove sessions, settings and saved keys too. This cannot be undone." },
]

export const help: CommandHelp = {
  usage: ["codewright uninstall [options]"],
  about:
    "Removes Codewright and everything its installer made. Asks whether sessions, settings and saved keys are to be removed as well.",
  table,
}

export async function uninstallCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const args = parseArguments(argv, table)
  if (!args.ok) return io.fail(args.failure.message)
  const { has, rest } = args.value
  if (rest.length > 0 || (has("all") && has("keep-data")))
    return io.fail("uninstall takes --keep-data or --all, and nothing else.")
  const data = dataFolder()
  const isDecided = has("all") || has("keep-data") || data === undefined
  if (!isDecided && !process.stdin.isTTY)
    return io.fail(`Say whether ${data} (sessions, settings, saved keys) is to be removed: --all or --keep-data.`)
  const removesData =
    data !== undefined &&
    !has("keep-data") &&
    (has("all") || (await agrees(`Also remove sessions, settings and saved keys in ${data}? This cannot be undone.`)))
  try {
    // The program goes last: whatever fails before can be tried again.
    if (removesData) {
      rmSync(data, { recursive: true, force: true })
      io.say(`Removed ${data}`)
    }
    const code = removeProgram(io, ownerOf({ program: process.execPath, isSource: !isCompiled() }))
    if (!removesData && data !== undefined) io.say(`Kept ${data}`)
    return code
  } catch (error) {
    return io.fail(`Not everything could be removed. ${error instanceof Error ? error.message : String(error)}`)
  }
}

function removeProgram(io: Io, owner: OwnInstallation | OtherInstallation): number {
  if (owner.kind === "other") return io.fail(`This copy of Codewright ${owner.by}. To remove it: ${owner.remove}`)
  for (const path of removeInstallation(owner.root)) io.say(`Removed ${path}`)
  return 0
}

/** Undefined if there is none, or if what is named may hold more than our own things. */
function dataFolder(): string | undefined {
  const { state, home } = whereWeAre()
  const { givenBy } = readEnvironment(processEnvironment())
  if (givenBy.stateHome !== undefined && givenBy.stateHome !== "CODEWRIGHT_HOME") return undefined
  return existsSync(state) && !liesIn(home, state) ? state : undefined
}

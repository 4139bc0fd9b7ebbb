/** `codewright trust`: from now on a folder's own settings count, as they are now. */

import { realpathSync } from "node:fs"
import type { ProjectLine } from "#ground/settings/project-lines.ts"
import { homeWords, holdsHome, trustFolder } from "#ground/settings/trust.ts"
import { systemClock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import { projectLines } from "#faces/cli/first-run.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"

export const help: CommandHelp = {
  usage: ["codewright trust [folder]"],
  about:
    "Lets the folder's own settings take effect: hooks, MCP servers, variables and allow rules. Without an argument, the current folder. " +
    "Prints every entry you trust with this; later additions and changes have no effect until you trust them too.",
}

export async function trustCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const [folder = ".", ...more] = argv
  if (more.length > 0 || folder.startsWith("-"))
    return io.fail("trust takes one folder, such as: codewright trust . (by default the current folder)")
  const real = realFolder(folder)
  if (real === undefined) return io.fail(`${folder} does not exist, so it cannot be trusted. Name an existing folder.`)
  const args = parseArguments<FlagName>([], flags)
  const setting = args.ok ? await readSetting(args.value, real) : undefined
  if (!args.ok || !setting?.ok)
    return io.fail(setting?.ok === false ? setting.failure.message : "trust takes one folder")
  const { state, home } = setting.value
  if (holdsHome(real, home)) return io.fail(homeWords(real))
  const lines = await projectLines(args.value, setting.value)
  const trusted = trustFolder({ state, home, clock: systemClock }, real, lines)
  if (!trusted.ok) return io.fail(trusted.failure)
  io.writeForeign(`Trusted: ${trusted.value}\n${rowsOf(lines)}`)
  return 0
}

function rowsOf(lines: readonly ProjectLine[]): string {
  const files = [...Map.groupBy(lines, ({ file }) => file)]
  return files
    .flatMap(([file, all]) => [
      `  ${forConsent(file)}`,
      ...all.flatMap(({ what, detail, more }) => [
        `    ${forConsent(what)}: ${forConsent(detail)}`,
        ...more.map((row) => `      ${forConsent(row)}`),
      ]),
    ])
    .map((row) => `${row}\n`)
    .join("")
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder)
  } catch {
    return undefined
  }
}

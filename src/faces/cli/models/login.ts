/** `codewright login` and `codewright logout`: keys that are tested before they are kept, and forgotten again. */

import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { isKeyShaped, notAKey } from "#faces/tui/panels/key.ts"
import type { PanelDefinition } from "#faces/tui/panels/panel.ts"
import { keyOf, providerList, type Ready } from "#faces/tui/panels/providers.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { mayBeProvider } from "#session/slash/provider-name.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { foundProviders } from "./found-providers.ts"
import type { Io } from "#faces/cli/io.ts"
import { keepTestedKey, type KeyTarget, keyTarget, loggedOut } from "./keep-key.ts"
import { providerLines } from "./provider-lines.ts"
import { providerPanelAdapter } from "./provider-panel-adapter.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { startedAs } from "#faces/cli/started-as.ts"
import { readStdin } from "#faces/cli/flags/standard-input.ts"

export const loginHelp: CommandHelp = {
  usage: [
    "codewright login [provider]",
    "codewright login [provider] < file-with-the-key",
    "codewright login --status",
  ],
  about:
    "Asks for an API key, tests it, and saves it in ~/.codewright/key.json, readable by you alone. Without a provider it lists all of them; a key from standard input is then for Anthropic. " +
    "A key in a variable such as ANTHROPIC_API_KEY, or printed by a command in the settings, takes precedence. --status prints what can be used here and what is missing.",
}

export const logoutHelp: CommandHelp = {
  usage: ["codewright logout [provider]"],
  about:
    "Removes the saved API key of a provider, Anthropic's if none is named. Keys in the environment or printed by a command in the settings stay.",
}

export async function loginCommand(argv: readonly string[], io: Io): Promise<number> {
  const setting = await settingFor(argv, loginHelp, io)
  if (typeof setting === "number") return setting
  if (argv[0] === "--status" && argv.length === 1) return succeed(io, await statusText(setting))
  const named = namedIn("login", argv)
  if (!named.ok) return io.fail(named.failure)
  const target = named.value === undefined ? ok(undefined) : keyTarget(setting, named.value)
  if (!target.ok) return io.fail(target.failure)
  const kept =
    process.stdin.isTTY && process.stdout.isTTY
      ? await askKey(setting, named.value)
      : await readKey(setting, target.value, io)
  if (kept === undefined) return 1
  return kept.ok ? succeed(io, kept.value) : io.fail(kept.failure)
}

export async function logoutCommand(argv: readonly string[], io: Io): Promise<number> {
  const setting = await settingFor(argv, logoutHelp, io)
  if (typeof setting === "number") return setting
  const named = namedIn("logout", argv)
  if (!named.ok) return io.fail(named.failure)
  const done = loggedOut(setting, named.value)
  return done.ok ? succeed(io, done.value) : io.fail(done.failure)
}

async function statusText(setting: StartupContext): Promise<string> {
  const rows = await foundProviders(setting, "servers", new AbortController().signal)
  return providerLines(rows, `${startedAs(setting.home)} login`)
}

async function askKey(setting: StartupContext, named: string | undefined): Promise<Result<string, string> | undefined> {
  const { openAsking } = await import("#faces/tui/panels/ask.ts")
  const { ownTerminal, themeOf } = await import("#faces/cli/terminal/own-terminal.ts")
  const port = providerPanelAdapter(setting, "servers")
  const ready: Ready<string> = ({ name }, message) => ({
    kind: "closes",
    result:
      name === anthropicName ? message : `${message} Start with: ${startedAs(setting.home)} --model ${name}/<model>`,
  })
  const row =
    named === undefined ? undefined : (await port.list(AbortSignal.abort())).find(({ name }) => name === named)
  const panel: PanelDefinition<string> = row ? keyOf(port, row, ready) : providerList({ port, ready })
  const asking = openAsking({ terminal: ownTerminal(setting), clock: systemClock, theme: themeOf(setting) })
  const message = await asking.ask(panel)
  asking.close()
  return message === undefined ? undefined : ok(message)
}

async function readKey(setting: StartupContext, target: KeyTarget, io: Io): Promise<Result<string, string>> {
  const piped = await readStdin("needed", { clock: systemClock, warn: io.warn })
  if (!piped.ok) return failed(piped.failure.message)
  const key = piped.value.trim()
  if (key === "")
    return failed("No key came on standard input. Run codewright login in a terminal, or pipe the key in.")
  if (!isKeyShaped(key)) return failed(notAKey)
  const { kind, message } = await keepTestedKey(setting, target, key, "tested", new AbortController().signal)
  return kind === "kept" ? ok(message) : failed(`${message} The key was not saved.`)
}

function namedIn(command: string, argv: readonly string[]): Result<string | undefined, string> {
  const [name, ...rest] = argv
  if (name === undefined) return ok(undefined)
  if (rest.length === 0 && mayBeProvider(name)) return ok(name)
  return failed(
    `${command} takes the name of a provider and nothing else. A key on the command line would stay in your shell history: run codewright login and paste the key.`,
  )
}

async function settingFor(argv: readonly string[], help: CommandHelp, io: Io): Promise<StartupContext | number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  return setting?.ok ? setting.value : io.fail(setting?.failure.message ?? "The settings cannot be read.")
}

function succeed(io: Io, text: string): number {
  io.say(text)
  return 0
}

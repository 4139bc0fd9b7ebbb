/** `codewright login` and `codewright logout`: an API key that is tested before it is kept, and forgotten again. */

import { join } from "node:path"
import { checkKey, type KeyVerdict } from "#ground/models/anthropic/check-key.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import { forgetKey, keepKey } from "#ground/settings/kept-key.ts"
import { setSetting } from "#ground/settings/set.ts"
import { isKeyShaped, type KeyKept, keyPanel, notAKey } from "#faces/tui/panels/key.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { parseArguments } from "./argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./command-help.ts"
import { type FlagName, flags } from "./flags.ts"
import type { Io } from "./io.ts"
import { keyInUse, keyPlace } from "./key-in-use.ts"
import { readSetting, type Setting } from "./setting.ts"
import { readStdin } from "./stdin.ts"

export const loginHelp: CommandHelp = {
  usage: ["codewright login", "codewright login < file-with-the-key"],
  about:
    "Asks for an Anthropic API key, tests it, and saves it in ~/.codewright/key.json, readable by you alone. " +
    "A key in ANTHROPIC_API_KEY or printed by apiKeyHelper takes precedence.",
}

export const logoutHelp: CommandHelp = {
  usage: ["codewright logout"],
  about: "Removes the saved API key. Keys in the environment or printed by apiKeyHelper stay.",
}

export async function loginCommand(argv: readonly string[], io: Io): Promise<number> {
  const setting = await settingFor("login", argv, loginHelp, io)
  if (typeof setting === "number") return setting
  const kept = process.stdin.isTTY && process.stdout.isTTY ? await askKey(setting) : await readKey(setting, io)
  if (kept === undefined) return 1
  return kept.ok ? tell(io, kept.value) : io.fail(kept.failure)
}

export async function logoutCommand(argv: readonly string[], io: Io): Promise<number> {
  const setting = await settingFor("logout", argv, logoutHelp, io)
  if (typeof setting === "number") return setting
  const done = forgetKeptKey(setting)
  return done.ok ? tell(io, done.value) : io.fail(done.failure)
}

export async function keepTestedKey(
  setting: Setting,
  key: string,
  wish: "tested" | "untested",
  signal: AbortSignal,
): Promise<KeyKept> {
  if (wish === "tested") {
    const verdict = await checkedInTime(key, signal)
    if (verdict.kind !== "accepted")
      return { kind: verdict.kind === "rejected" ? "rejected" : "untested", message: verdict.message }
  }
  const kept = keepKey(setting.state, key)
  if (!kept.ok) return { kind: "rejected", message: kept.failure }
  const simulated = leaveSimulator(setting)
  const said = [
    wish === "tested" ? `Anthropic accepted the key. Saved to ${keyPlace(setting)}.` : `Saved to ${keyPlace(setting)}.`,
    ...keyInUse(setting).notes,
    ...simulated,
  ]
  return { kind: "kept", message: said.join(" ") }
}

const patienceMs = 10_000

async function checkedInTime(key: string, signal: AbortSignal): Promise<KeyVerdict> {
  const late = new AbortController()
  const cancel = systemClock.after(patienceMs, () => late.abort())
  const verdict = await checkKey({ "x-api-key": key }, AbortSignal.any([signal, late.signal]))
  cancel()
  return verdict
}

export function forgetKeptKey(setting: Setting): Result<string, string> {
  const done = forgetKey(setting.state)
  if (!done.ok) return done
  const { source, which } = keyInUse(setting)
  const first =
    done.value === "removed" ? `Removed ${keyPlace(setting)}.` : `There is no saved key in ${keyPlace(setting)}.`
  return ok(source === "none" ? first : `${first} ${which} is still used.`)
}

/** After a login the next start uses the real model, not the simulator that the first run offered. */
function leaveSimulator({ state, loaded }: Setting): readonly string[] {
  const file = join(state, "settings.json")
  const value = loaded.explain("model").from.find((one) => one.file === file)?.value
  if (typeof value !== "string" || !isSimulated(value)) return []
  const done = setSetting({ file, key: "model", value: "default" })
  return done.ok ? ["The model is now default instead of the simulator."] : [done.failure]
}

async function askKey(setting: Setting): Promise<Result<string, string> | undefined> {
  const { openAsking } = await import("#faces/tui/panels/ask.ts")
  const { ownTerminal, themeOf } = await import("./own-terminal.ts")
  const asking = openAsking({ terminal: ownTerminal(setting), clock: systemClock, theme: themeOf(setting) })
  const message = await asking.ask(
    keyPanel<string>({
      port: { keep: (key, wish, signal) => keepTestedKey(setting, key, wish, signal) },
      kept: (result) => ({ kind: "closes", result }),
    }),
  )
  asking.close()
  return message === undefined ? undefined : ok(message)
}

async function readKey(setting: Setting, io: Io): Promise<Result<string, string>> {
  const piped = await readStdin("needed", { clock: systemClock, warn: io.warn })
  if (!piped.ok) return failed(piped.failure.message)
  const key = piped.value.trim()
  if (key === "")
    return failed("No key came on standard input. Run codewright login in a terminal, or pipe the key in.")
  if (!isKeyShaped(key)) return failed(notAKey)
  const { kind, message } = await keepTestedKey(setting, key, "tested", new AbortController().signal)
  return kind === "kept" ? ok(message) : failed(`${message} The key was not saved.`)
}

async function settingFor(name: string, argv: readonly string[], help: CommandHelp, io: Io): Promise<Setting | number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  if (argv.length > 0)
    return io.fail(
      name === "login"
        ? "login takes no arguments, because a key on the command line would stay in your shell history. Run codewright login and paste the key."
        : "logout takes no arguments.",
    )
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  return setting?.ok ? setting.value : io.fail(setting?.failure.message ?? "The settings cannot be read.")
}

function tell(io: Io, text: string): number {
  io.say(text)
  return 0
}

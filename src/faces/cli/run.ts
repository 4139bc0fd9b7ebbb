/** The agent itself: one prompt without a screen, or a conversation in the terminal. */

import { join } from "node:path"
import { modelFacts } from "#ground/models/catalog.ts"
import { type ExitStyle, interrupted, terminated, usageError } from "#faces/headless/exit.ts"
import { type OutputFormat, outputFormats, runHeadless } from "#faces/headless/run.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { version } from "#lib/version.ts"
import type { Session } from "#session/session.ts"
import { type Arguments, parseArguments } from "./argv.ts"
import { type FlagName, flags } from "./flags.ts"
import type { Io } from "./io.ts"
import { readSetting, type Setting } from "./setting.ts"
import { startSession, type Started } from "./start.ts"
import { readStdin } from "./stdin.ts"

export async function runCommand(argv: readonly string[], io: Io, folder: string = process.cwd()): Promise<number> {
  const parsed = parseArguments(argv, flags)
  if (!parsed.ok) {
    const detailed = argv.includes("--detailed-exit-codes")
    io.fail(parsed.failure.message)
    return usageError[detailed ? "detailed" : "plain"]
  }
  const args = parsed.value
  const style: ExitStyle = args.has("detailed-exit-codes") ? "detailed" : "plain"
  const misuse = (message: string): number => {
    io.fail(message)
    return usageError[style]
  }
  if (args.has("help")) return misuse("--help stands alone: codewright --help")

  const headless = args.has("print")
  const format = (args.value("output-format") ?? "text") as OutputFormat
  if (headless && format === "stream-json" && !args.has("verbose"))
    return misuse("When using --print, --output-format=stream-json requires --verbose")
  if (!headless && !process.stdin.isTTY)
    return misuse('There is no terminal to talk in. Use -p to answer one prompt: codewright -p "your prompt"')
  if (!outputFormats.includes(format)) return misuse(`--output-format is one of ${outputFormats.join(", ")}`)

  const prompt = headless ? await readPrompt(args) : { ok: true as const, value: args.rest.join(" ") }
  if (!prompt.ok) return misuse(prompt.failure)
  const setting = await readSetting(args, folder)
  if (!setting.ok)
    return setting.failure.kind === "usage" ? misuse(setting.failure.message) : io.fail(setting.failure.message)
  const exitStyle: ExitStyle = setting.value.loaded.settings.detailedExitCodes ? "detailed" : style
  for (const warning of setting.value.warnings) io.warn(warning)

  const started = await startSession(args, setting.value, headless ? "headless" : "terminal")
  if (!started.ok)
    return started.failure.kind === "usage" ? misuse(started.failure.message) : io.fail(started.failure.message)
  for (const note of started.value.notes) io.warn(note)
  await followIfAsked(args, setting.value, started.value, io)
  const { session } = started.value
  const stop = onSignals(session)
  if (!headless) return converse(started.value, prompt.value, io)

  const code = await runHeadless({
    session,
    prompt: [{ type: "text", text: prompt.value }],
    format,
    tell: args.has("verbose") ? "steps" : "answer",
    exitStyle,
    version,
    apiKeySource: started.value.apiKeySource,
    factsOf: modelFacts,
    write: io.write,
    writeAside: io.writeAside,
    warn: io.warn,
    clock: systemClock,
    ids: systemIds,
  })
  await started.value.close()
  return stop.code() ?? code
}

async function readPrompt(
  args: Arguments<FlagName>,
): Promise<{ ok: true; value: string } | { ok: false; failure: string }> {
  const words = args.rest.join(" ")
  const piped = await readStdin(words.trim() === "" ? "needed" : "optional", systemClock)
  if (!piped.ok) return { ok: false, failure: piped.failure.message }
  const value = [words, piped.value].filter((part) => part.trim() !== "").join("\n")
  if (value === "")
    return {
      ok: false,
      failure: "Input must be provided either through stdin or as a prompt argument when using --print",
    }
  return { ok: true, value }
}

async function followIfAsked(args: Arguments<FlagName>, setting: Setting, started: Started, io: Io): Promise<void> {
  const { debug } = setting.environment
  if (!args.has("debug") && debug === undefined) return
  const { followInto } = await import("./debug.ts")
  const filter = args.value("debug") ?? (debug === "1" ? "" : (debug ?? ""))
  io.warn(`Debug log: ${followInto(join(setting.state, "logs"), started.session, filter)}`)
}

/** The first signal ends the turn in order; a second one of the same kind does not wait for it. */
function onSignals(session: Session): { readonly code: () => number | undefined } {
  let code: number | undefined
  const handle = (own: number) => (): void => {
    if (code !== undefined) process.exit(own)
    code = own
    session.submit({ type: "interrupt" })
  }
  process.on("SIGINT", handle(interrupted))
  process.on("SIGTERM", handle(terminated))
  process.on("SIGHUP", handle(terminated))
  return { code: () => code }
}

async function converse(started: Started, prompt: string, io: Io): Promise<number> {
  const { runLines } = await import("#faces/lines/run.ts")
  const { createInterface } = await import("node:readline/promises")
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new AbortController()
  reader.on("close", () => ended.abort())
  reader.on("SIGINT", () => {
    // While it works, Ctrl+C stops it; while it waits, Ctrl+C leaves.
    if (started.session.state().lastEnd === undefined && started.session.state().turns > 0)
      started.session.submit({ type: "interrupt" })
    else reader.close()
  })
  const code = await runLines({
    session: started.session,
    prompt: prompt === "" ? undefined : prompt,
    write: io.write,
    readLine: (words) => reader.question(words, { signal: ended.signal }).catch(() => undefined),
  })
  reader.close()
  await started.close()
  return code
}

/** What is settled on the screen before a session opens: first questions, trust of the folder, and which conversation. */

import { hungUp, terminated } from "#faces/headless/exit.ts"
import { isSessionId } from "#ground/transcript/session-logs.ts"
import { systemClock } from "#lib/clock.ts"
import { ok, type Result } from "#lib/result.ts"
import { simulatorName } from "#ground/models/simulated.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { hasModel } from "#faces/cli/models/connect.ts"
import type { StartFailure } from "#faces/cli/failure.ts"
import { firstQuestions, isResuming, trustingBare, trustQuestion } from "#faces/cli/first-run.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"

export interface Ready {
  readonly args: Arguments<FlagName>
  readonly setting: StartupContext
}

export interface AskedPlace {
  /** The current one when absent. */
  readonly folder?: string
  /** We chose it ourselves: there is nothing to ask about it. */
  readonly isOurs: boolean
}

export async function askBefore(
  asked: Arguments<FlagName>,
  setting: StartupContext,
  { folder: begun, isOurs }: AskedPlace,
): Promise<Result<Ready | "quits", StartFailure>> {
  const picked = await chosen(asked, setting)
  if (picked === "quits") return ok("quits")
  const own =
    picked === asked
      ? ok(undefined)
      : await (await import("#faces/cli/sessions/resumed-folder.ts")).resumedFolder(picked, begun)
  if (!own.ok) return own
  const folder = own.value?.folder ?? begun
  const reread = own.value ? await readSetting(picked, folder) : ok(setting)
  if (!reread.ok) return reread
  let now = reread.value
  const args = await withModel(picked, now, folder)
  let questions = isOurs && !own.value ? undefined : await firstQuestions(args, now)
  while (questions) {
    const { ports, accepted } = questions
    const { ownTerminal, themeOf } = await import("./own-terminal.ts")
    const { runFirstRun } = await import("#faces/tui/first-run/run.ts")
    const parts = { terminal: ownTerminal(now), clock: systemClock, theme: themeOf(now), ports }
    const end = await stoppable(() => runFirstRun(parts))
    if (end === "quits") return ok("quits")
    const isDeclined = end === "continues without"
    const again = await readSetting(args, folder, isDeclined ? "declined" : accepted)
    if (!again.ok) return again
    now = again.value
    // Files may have been changed while the question was open: what was not shown is asked about.
    questions = ports.trust && !isDeclined ? await trustQuestion(args, now) : undefined
  }
  const settled = await trustingBare(args, now, folder)
  return settled.ok ? ok({ args, setting: settled.value }) : settled
}

/** Whoever tried it out with the simulator continues with it, unless there is a model now. */
async function withModel(
  args: Arguments<FlagName>,
  setting: StartupContext,
  folder: string | undefined,
): Promise<Arguments<FlagName>> {
  if (!isResuming(args) || args.has("model") || hasModel(setting)) return args
  const { isSimulated } = await import("#faces/cli/sessions/resumed-folder.ts")
  if (!(await isSimulated(args, folder))) return args
  return {
    ...args,
    has: (name) => name === "model" || args.has(name),
    value: (name) => (name === "model" ? simulatorName : args.value(name)),
  }
}

/** `--resume` without a name is a choice, and so are words that several conversations have. */
async function chosen(args: Arguments<FlagName>, setting: StartupContext): Promise<Arguments<FlagName> | "quits"> {
  const words = args.value("resume")?.trim()
  if (words === undefined || (words !== "" && !(await leavesChoice(words, setting)))) return args
  const { ownTerminal, themeOf } = await import("./own-terminal.ts")
  const { openAsking } = await import("#faces/tui/panels/ask.ts")
  const { sessionsPanel } = await import("#faces/tui/panels/sessions.ts")
  const { sessionsPort } = await import("#faces/cli/sessions/session-rows.ts")
  const asking = openAsking({ terminal: ownTerminal(setting), clock: systemClock, theme: themeOf(setting) })
  const panel = sessionsPanel<string>({
    port: sessionsPort(setting),
    now: systemClock.now,
    query: words,
    choose: (key) => ({ kind: "closes", result: key }),
  })
  const id = await stoppable(() => asking.ask(panel))
  asking.close()
  if (id === undefined) return "quits"
  const value = (name: FlagName): string | undefined => (name === "resume" ? id : args.value(name))
  return { ...args, value }
}

async function leavesChoice(words: string, setting: StartupContext): Promise<boolean> {
  if (isSessionId(words)) return false
  return (await import("#faces/cli/sessions/find-session.ts")).areSeveral(words, setting)
}

/** If the process is told to stop while it asks, its exit gives the terminal back. */
async function stoppable<T>(ask: () => Promise<T>): Promise<T> {
  const onTerminate = (): never => process.exit(terminated)
  const onHangUp = (): never => process.exit(hungUp)
  process.on("SIGTERM", onTerminate)
  process.on("SIGHUP", onHangUp)
  try {
    return await ask()
  } finally {
    process.off("SIGTERM", onTerminate)
    process.off("SIGHUP", onHangUp)
  }
}

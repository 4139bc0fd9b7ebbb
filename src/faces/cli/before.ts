/** What is settled on the screen before a session opens: first questions, trust of the folder, and which conversation. */

import { terminated } from "#faces/headless/exit.ts"
import { isSessionId } from "#ground/transcript/shelf.ts"
import { systemClock } from "#lib/clock.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import type { StartFailure } from "./failure.ts"
import { firstQuestions, trustQuestion } from "./first-run.ts"
import type { FlagName } from "./flags.ts"
import { readSetting, type Setting } from "./setting.ts"

export interface Ready {
  readonly args: Arguments<FlagName>
  readonly setting: Setting
}

/** Pass `folder` if we chose it ourselves: then there is nothing to ask about it. */
export async function askBefore(
  args: Arguments<FlagName>,
  setting: Setting,
  folder: string | undefined,
): Promise<Result<Ready | "quits", StartFailure>> {
  let now = setting
  let questions = folder === undefined ? await firstQuestions(args, now) : undefined
  while (questions) {
    const { ports, accepted } = questions
    const { ownTerminal, themeOf } = await import("./own-terminal.ts")
    const { runFirstRun } = await import("#faces/tui/first-run/run.ts")
    const parts = { terminal: ownTerminal(now), clock: systemClock, theme: themeOf(now), ports }
    const end = await stoppable(() => runFirstRun(parts))
    if (end === "quits") return ok("quits")
    const isDeclined = end === "goes on without"
    const again = await readSetting(args, folder, isDeclined ? "declined" : accepted)
    if (!again.ok) return again
    now = again.value
    // Files may have been changed while the question was open: what was not shown is asked about.
    questions = ports.trust && !isDeclined ? await trustQuestion(args, now) : undefined
  }
  return chosen(args, now)
}

/** `--resume` without a name is a choice, and so are words that several conversations have. */
async function chosen(args: Arguments<FlagName>, setting: Setting): Promise<Result<Ready | "quits", StartFailure>> {
  const words = args.value("resume")?.trim()
  if (words === undefined || (words !== "" && !(await leavesChoice(words, setting)))) return ok({ args, setting })
  const { ownTerminal, themeOf } = await import("./own-terminal.ts")
  const { openAsking } = await import("#faces/tui/panels/ask.ts")
  const { sessionsPanel } = await import("#faces/tui/panels/sessions.ts")
  const { sessionsPort } = await import("./session-rows.ts")
  const asking = openAsking({ terminal: ownTerminal(setting), clock: systemClock, theme: themeOf(setting) })
  const panel = sessionsPanel<string>({
    port: sessionsPort(setting),
    now: systemClock.now,
    query: words,
    choose: (key) => ({ kind: "closes", result: key }),
  })
  const id = await stoppable(() => asking.ask(panel))
  asking.close()
  if (id === undefined) return ok("quits")
  const value = (name: FlagName): string | undefined => (name === "resume" ? id : args.value(name))
  return ok({ args: { ...args, value }, setting })
}

async function leavesChoice(words: string, setting: Setting): Promise<boolean> {
  if (isSessionId(words)) return false
  return (await import("./find-session.ts")).areSeveral(words, setting)
}

/** If the process is told to stop while it asks, its exit gives the terminal back. */
async function stoppable<T>(ask: () => Promise<T>): Promise<T> {
  const stop = (): never => process.exit(terminated)
  process.on("SIGTERM", stop)
  process.on("SIGHUP", stop)
  try {
    return await ask()
  } finally {
    process.off("SIGTERM", stop)
    process.off("SIGHUP", stop)
  }
}

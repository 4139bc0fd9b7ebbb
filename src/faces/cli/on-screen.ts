/** A conversation on the whole screen of a capable terminal. */

import { join } from "node:path"
import { modelFacts } from "#ground/models/catalog.ts"
import { processTerminal } from "#faces/tui/process-terminal.ts"
import { runTui } from "#faces/tui/run.ts"
import { systemClock } from "#lib/clock.ts"
import type { Session } from "#session/session.ts"
import { currentBranch } from "./branch.ts"
import { openFileFinder } from "./find-files.ts"
import type { Setting } from "./setting.ts"
import { onTermination } from "./signals.ts"

/** Converses until the person leaves, and gives the exit code. */
export async function converseOnScreen(session: Session, prompt: string, setting: Setting): Promise<number> {
  const { cwd } = session.about
  const tui = runTui({
    session,
    prompt: prompt === "" ? undefined : prompt,
    terminal: processTerminal(systemClock),
    colours: setting.environment.noColor ? "none" : "of the terminal",
    clock: systemClock,
    factsOf: modelFacts,
    branch: () => currentBranch(cwd),
    findFiles: openFileFinder(cwd, join(setting.state, "cache")),
  })
  const termination = onTermination(tui.leave, systemClock)
  await tui.ended
  return termination.code() ?? 0
}

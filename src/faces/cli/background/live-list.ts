/** The list of sessions on the screen of a terminal. Whoever opens one comes back to the list when they leave it. */

import { openAsking } from "#faces/tui/panels/ask.ts"
import { runningPanel } from "#faces/tui/panels/running.ts"
import { terminated } from "#faces/headless/exit.ts"
import { systemClock } from "#lib/clock.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { runCommand } from "#faces/cli/run.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { ownTerminal, themeOf } from "#faces/cli/terminal/own-terminal.ts"
import type { Where } from "#faces/cli/where.ts"
import { runningPort } from "./running-port.ts"

/** Undefined for somebody who reads lines instead of a screen. */
export async function showLiveList(where: Where, io: Io): Promise<number | undefined> {
  const none = parseArguments([], flags)
  if (!none.ok) return io.fail(none.failure.message)
  const setting = await readSetting(none.value)
  if (!setting.ok) return io.fail(setting.failure.message)
  if (setting.value.loaded.settings.screenReader) return undefined
  for (;;) {
    const id = await chosen(where, setting.value)
    if (id === undefined) return 0
    const code = await runCommand(["--resume", id], io)
    if (code !== 0) return code
  }
}

async function chosen(where: Where, setting: StartupContext): Promise<string | undefined> {
  const terminal = ownTerminal(setting)
  const notifications = setting.loaded.settings.notifications ?? "desktop"
  const port = runningPort(where, {
    onWaiting({ name }) {
      if (notifications !== "off") terminal.ring()
      if (notifications === "desktop") terminal.notify(`${name}: waits for you`)
    },
  })
  const stop = (): never => process.exit(terminated)
  process.on("SIGTERM", stop)
  process.on("SIGHUP", stop)
  const asking = openAsking({ terminal, clock: systemClock, theme: themeOf(setting) })
  try {
    return await asking.ask(
      runningPanel<string>({ port, now: systemClock.now, open: (id) => ({ kind: "closes", result: id }) }),
    )
  } finally {
    asking.close()
    process.off("SIGTERM", stop)
    process.off("SIGHUP", stop)
  }
}

/** Tells the user that a background session needs them: in the terminal it was started from. */

import { closeSync, constants, openSync, statSync, writeSync } from "node:fs"
import type { BackgroundJob } from "#fleet/background/job.ts"
import type { Notifications } from "#faces/tui/attention.ts"
import { notification } from "#faces/tui/notification.ts"
import { forConsent } from "#lib/printable.ts"
import { quietly } from "#lib/quietly.ts"

const mostWords = 120

/** A terminal that is gone, or belongs to somebody else by now, is left alone. */
export function callUser({ tty, id, args, env }: BackgroundJob, words: string, how: Notifications): void {
  if (tty === undefined || how === "off") return
  quietly(() => {
    const { uid } = statSync(tty)
    if (uid !== process.getuid?.()) return
    const terminal = openSync(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
    const text = forConsent(`${args["name"]?.at(-1) ?? id.slice(0, 8)}: ${words}`)
      .replaceAll("\n", " ")
      .slice(0, mostWords)
    const shown = how === "desktop" ? notification(text, { term: env["TERM"], program: env["TERM_PROGRAM"] }) : ""
    writeSync(terminal, `${shown}\u0007`)
    closeSync(terminal)
  })
}

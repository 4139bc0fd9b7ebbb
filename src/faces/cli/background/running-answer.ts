/** `/agents running` where there are no panels: the list of sessions as text. */

import { systemClock } from "#lib/clock.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { said } from "#faces/cli/terminal/program-parts.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { listText } from "./list-text.ts"
import { sessionList } from "./session-list.ts"

export async function runningAnswer(): Promise<SlashAnswer> {
  const where = whereWeAre()
  const { sessions } = await sessionList(where, systemClock.now())
  return said(listText(sessions, { home: where.home, now: systemClock.now() }))
}

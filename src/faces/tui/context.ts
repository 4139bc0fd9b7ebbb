/** What a key is read against: the session and the terminal as they are when it is pressed. */

import type { Here } from "./here.ts"
import { openModeCycle } from "./mode-cycle.ts"
import type { TuiContext } from "./outcome.ts"
import { offersOf } from "./outside.ts"
import type { TuiRun } from "./tui-run.ts"

export function openContext(run: TuiRun, here: Here): () => TuiContext {
  const offers = offersOf(run.panels, run)
  const modes = openModeCycle(run.about.modeCycle)
  return () => {
    const { columns, rows } = run.terminal.size()
    const session = here.state()
    return {
      session,
      now: run.clock.now(),
      columns,
      rows,
      offers,
      sessionCommands: here.commands(),
      modeCycle: modes(session.mode, here.team() !== null),
    }
  }
}

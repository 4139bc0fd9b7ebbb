/** What a key is read against: the session and the terminal as they are when it is pressed. */

import type { SessionMirror } from "./session-mirror.ts"
import { openModeCycle } from "./mode-cycle.ts"
import type { TuiContext } from "./outcome.ts"
import { offersOf } from "./external-effects.ts"
import type { TuiRun } from "./tui-run.ts"

export function openContext(run: TuiRun, here: SessionMirror): () => TuiContext {
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
      agents: offers.has("tasks") ? here.agents().length : 0,
      offers,
      sessionCommands: here.commands(),
      modeCycle: modes(session.mode, here.team() !== null),
    }
  }
}

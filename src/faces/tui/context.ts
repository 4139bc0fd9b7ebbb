/** What a key is read against: the session and the terminal as they are when it is pressed. */

import type { SessionMirror } from "./session-mirror.ts"
import type { TuiContext } from "./outcome.ts"
import { offersOf } from "./external-effects.ts"
import type { TuiRun } from "./tui-run.ts"

export function openContext(run: TuiRun, here: SessionMirror): () => TuiContext {
  const offers = offersOf(run.panels, run)
  const { modeCycle } = run.about
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
      // Right after the first, which asks: members work in the mode before it, and none is widened on the way.
      modeCycle: here.team() === null ? modeCycle : modeCycle.toSpliced(1, 0, "delegate"),
    }
  }
}

/** What the status row shows: asked for whenever a frame is drawn. */

import type { SessionMirror } from "./session-mirror.ts"
import type { Status } from "./state.ts"
import type { StatusLine } from "./status-line.ts"
import type { TuiRun } from "./tui-run.ts"

export interface CurrentStatus {
  readonly now: () => Status
  /** The branch is looked up when a turn has ended, not for every frame. */
  readonly onTurnEnd: () => void
}

export function openStatus(run: TuiRun, here: SessionMirror, statusLine: StatusLine): CurrentStatus {
  let branch = run.branch()
  return {
    now() {
      const session = here.state()
      const known = { session, window: run.factsOf(session.model).window, branch }
      return {
        ...known,
        custom: statusLine.rows(known),
        levels: run.levelsOf(session.model),
        background: here.background(),
        team: here.team(),
        agents: here.agents(),
        changes: here.changes(),
        sandbox: here.sandbox(),
        verbs: run.verbs ?? [],
        selected: run.beside?.words(),
      }
    },
    onTurnEnd() {
      branch = run.branch()
    },
  }
}

/** What is shown: the session as it is known here, its status, the panels and the transcript over it, and the stage. */

import type { Later } from "#lib/later.ts"
import { completedAgain } from "./complete.ts"
import { openContext } from "./context.ts"
import type { Drawing } from "./drawing.ts"
import { newVim } from "./editor/vim-state.ts"
import { type Effect, note } from "./effect.ts"
import { batchMs } from "./follow.ts"
import type { TuiContext } from "./outcome.ts"
import { openPager, type Pager } from "./pager/pager.ts"
import { openPanelHost, type OpenPanelHost } from "./panels/host.ts"
import { hasSide } from "./parts/side-column.ts"
import { openHere, type SessionMirror } from "./session-mirror.ts"
import { openStage, type Stage } from "./stage.ts"
import { emptyState, type TuiState } from "./state.ts"
import { openStatusLine, type StatusLine } from "./status-line.ts"
import { type CurrentStatus, openStatus } from "./status.ts"
import type { TuiRun } from "./tui-run.ts"

export interface Scene {
  readonly here: SessionMirror
  readonly context: () => TuiContext
  readonly statusLine: StatusLine
  readonly status: CurrentStatus
  readonly panels: OpenPanelHost
  readonly pager: Pager
  readonly stage: Stage
}

/** `ahead`: what the parts ask of each other once all are open. */
export function openScene(
  run: TuiRun,
  { screen, pace, paint, draw, safely, attention }: Drawing,
  ahead: {
    readonly stage: Later<Stage>
    readonly context: Later<() => TuiContext>
    readonly act: (effect: Effect) => void
  },
): Scene {
  const { act } = ahead
  const { session, terminal, clock, about } = run
  const here = openHere(session, run.state, {
    now: clock.now,
    showsChanges: () => hasSide(ahead.stage.get().state(), terminal.size()),
    changed(what) {
      if (what === "commands") ahead.stage.get().change((state) => completedAgain(state, ahead.context.get()()))
      pace.within(batchMs)
    },
  })
  const context = openContext(run, here)
  ahead.context.settle(context)
  const statusLine = openStatusLine({
    port: run.statusLine,
    clock,
    redraw: safely(paint),
    showError: (text) => act(note(text, "error")),
  })
  const status = openStatus(run, here, statusLine)
  const panels = openPanelHost({
    ports: run.panels,
    clock,
    size: terminal.size,
    redraw: draw,
    around: () => ({
      model: here.state().model,
      mode: here.state().mode,
      theme: screen.theme(),
      setTheme: screen.setTheme,
    }),
    act,
    closed: () => ahead.stage.get().change((state) => withQuietDialog(state, clock.now())),
  })
  const pager = openPager({ session, about, terminal, screen, pace, state: () => ahead.stage.get().state() })
  const stage = openStage({
    first: firstState(run),
    terminal,
    screen,
    attention,
    pace,
    clock,
    root: about.cwd,
    status: status.now,
    panel: panels.shown,
    pager,
    mouse: run.mouse ?? "off",
  })
  ahead.stage.settle(stage)
  return { here, context, statusLine, status, panels, pager, stage }
}

/** A key meant for a panel must not answer the question below it. */
const withQuietDialog = (state: TuiState, now: number): TuiState =>
  state.dialog ? { ...state, dialog: { ...state.dialog, quietSince: now } } : state

const firstState = ({ keymap, editorMode, sideColumn = "shown" }: TuiRun): TuiState => ({
  ...emptyState,
  side: sideColumn,
  keymap: keymap ?? emptyState.keymap,
  editor: { ...emptyState.editor, vim: editorMode === "vim" ? newVim : undefined },
})

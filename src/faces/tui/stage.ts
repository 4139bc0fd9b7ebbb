/** What stands on the screen: the state, what goes above it for good, and the terminal it is drawn on. */

import { dropped } from "#faces/view/speech.ts"
import type { Item } from "#faces/view/item.ts"
import { isBusy, splitFinished } from "#faces/view/view.ts"
import type { Clock } from "#lib/clock.ts"
import type { Attention } from "./attention.ts"
import type { ThemedScreen } from "./themed-screen.ts"
import type { Effect } from "./effect.ts"
import { liveFrame } from "./frame.ts"
import { foldedFor } from "./hints.ts"
import type { Pager } from "./pager/pager.ts"
import type { Pace } from "./pace.ts"
import type { Detail } from "./parts/display.ts"
import { itemsRows } from "./parts/items.ts"
import type { PanelState } from "./panels/panel.ts"
import type { Status, TuiState } from "./state.ts"
import type { Terminal } from "./terminal.ts"

/** The spinner turns slowly, to spare the terminal. */
const spinnerMs = 150

/** Their times are shown in seconds. */
const agentsMs = 1000

export interface Stage {
  readonly state: () => TuiState
  readonly change: (next: (state: TuiState) => TuiState) => void
  readonly paint: () => void
  /** Written above the next frame. */
  readonly push: (rows: readonly string[]) => void
  readonly commit: (items: readonly Item[], detail: Detail) => void
  /** Erases the live rows, so that the next writer starts there. */
  readonly clearLive: () => void
  readonly lend: Terminal["lend"]
  /** Stops drawing midway and restores the terminal. */
  readonly giveBack: () => void
  /** Open items go to the scrollback as they are, except for calls that continue elsewhere; these words replace the prompt. */
  readonly farewell: (words: readonly string[], work: "ends" | "continues") => void
  readonly close: () => void
}

export function openStage(parts: {
  readonly first: TuiState
  readonly terminal: Terminal
  readonly screen: Pick<ThemedScreen, "paint" | "settlesIn">
  readonly attention: Attention
  readonly pace: Pace
  readonly clock: Clock
  readonly root: string
  readonly status: () => Status
  readonly pager: Pick<Pager, "isOpen" | "paint">
  readonly panel: () => PanelState<readonly Effect[]> | undefined
  readonly mouse: "on" | "off"
}): Stage {
  const { terminal, screen, attention, pace, clock } = parts
  let state = parts.first
  let above: string[] = []
  let open = true

  function paint(): void {
    pace.clear()
    if (!open || terminal.isBusy()) return
    terminal.mouse(parts.mouse === "on" && (parts.pager.isOpen() || (parts.panel() !== undefined && !state.dialog)))
    // What happens below it is drawn when it is closed.
    if (parts.pager.isOpen()) return parts.pager.paint()
    const settlesIn = screen.settlesIn()
    if (settlesIn > 0) return pace.within(settlesIn)
    const { finished, view } = splitFinished(state.view)
    commit(finished, foldedFor(state))
    state = { ...state, view }
    const status = parts.status()
    const { promptColumns, ...frame } = liveFrame(state, status, terminal.size(), clock.now(), parts.panel())
    state = { ...state, promptColumns }
    screen.paint({ above, ...frame })
    above = []
    attention.show(state.dialog ? "asks" : isBusy(state.view) ? "works" : "rests")
    if (isBusy(state.view) && !state.dialog) pace.within(spinnerMs)
    else if ((status.agents?.length ?? 0) > 0) pace.within(agentsMs)
  }

  function commit(items: readonly Item[], detail: Detail): void {
    const { columns } = terminal.size()
    above.push(...itemsRows(items, columns, detail, parts.root))
  }

  function clearLive(): void {
    paint()
    screen.paint({ above, live: [""], cursor: { row: 0, column: 0 } })
    above = []
  }

  function close(): void {
    if (open) terminal.close()
    open = false
    pace.clear()
  }

  return {
    paint,
    commit,
    clearLive,
    close,
    state: () => state,
    change: (next) => void (state = next(state)),
    push: (rows) => void above.push(...rows),
    lend(work) {
      clearLive()
      return terminal.lend(work)
    },
    giveBack() {
      if (!open) return
      // Below what stands there, so that what is said about it can be read.
      terminal.write("\r\n\u001b[J")
      close()
    },
    farewell(words, work) {
      const { items } = dropped(state.view, undefined)
      const ended = items.filter((item) => item.kind !== "call" || item.state !== "dropped")
      commit(work === "ends" ? items : ended, foldedFor(state))
      screen.paint({ above, live: [...words, ""], cursor: undefined })
    },
  }
}

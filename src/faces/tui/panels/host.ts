/** The place for panels over a conversation: at most one stack of them is open, and what it comes to is done. */

import { type Effect, note } from "#faces/tui/effect.ts"
import type { Key } from "#faces/tui/keys.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import type { Clock } from "#lib/clock.ts"
import { drivePanels, type PanelDriver } from "./drive.ts"
import { type AroundPanel, panelNamed } from "./open-panel.ts"
import type { PanelDefinition, PanelState } from "./panel.ts"
import type { PanelName, PanelPorts } from "./ports.ts"

export interface OpenPanelHost {
  /** `after` is called when it is closed, unless everything closes. */
  readonly open: (name: PanelName, query: string, after?: () => void) => void
  readonly show: (definition: PanelDefinition<readonly Effect[]>) => void
  readonly press: (key: Key) => boolean
  readonly click: (line: number) => void
  readonly shown: () => PanelState<readonly Effect[]> | undefined
  readonly close: () => void
}

export function openPanelHost(parts: {
  readonly ports: PanelPorts
  readonly clock: Clock
  readonly size: () => Size
  readonly redraw: () => void
  readonly around: () => Pick<AroundPanel, "model" | "mode" | "theme" | "setTheme">
  readonly act: (effect: Effect) => void
  readonly closed: () => void
}): OpenPanelHost {
  const { ports, clock, size, redraw, around, act } = parts
  let driver: PanelDriver<readonly Effect[]> | undefined
  let isOver = false
  function show(definition: PanelDefinition<readonly Effect[]>, after?: () => void): void {
    driver?.close()
    driver = drivePanels(definition, {
      clock,
      size,
      redraw,
      closed(effects = []) {
        driver = undefined
        parts.closed()
        for (const effect of effects) act(effect)
        if (!isOver) after?.()
      },
    })
  }

  return {
    show,
    open(name, query, after) {
      const definition = panelNamed(name, query, { ...around(), ports, act, clock, now: clock.now })
      if (definition) return show(definition, after)
      act(note("That is not available here.", "error"))
      after?.()
    },
    press(key) {
      if (!driver) return false
      driver.press(key)
      return true
    },
    click: (line) => driver?.click(line),
    shown: () => driver?.shown(),
    close() {
      isOver = true
      driver?.close()
    },
  }
}

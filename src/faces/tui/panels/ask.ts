/** Panels alone on the screen, before there is a conversation. */

import { openThemedScreen } from "#faces/tui/themed-screen.ts"
import { panelBottom } from "#faces/tui/frame.ts"
import { openKeys } from "#faces/tui/keys.ts"
import type { ThemeName } from "#faces/tui/screen/theme.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { drivePanels, type PanelDriver } from "./drive.ts"
import type { PanelDefinition } from "./panel.ts"

export interface Asking {
  /** Undefined if it was left, or the terminal is gone. */
  readonly ask: <T>(definition: PanelDefinition<T>) => Promise<T | undefined>
  /** Rows that stay in the scrollback. */
  readonly say: (rows: readonly string[]) => void
  readonly theme: () => ThemeName
  readonly setTheme: (theme: ThemeName) => void
  readonly close: () => void
}

export function openAsking(parts: {
  readonly terminal: Terminal
  readonly clock: Clock
  readonly theme: ThemeName | "detected"
}): Asking {
  const { terminal, clock } = parts
  let above: readonly string[] = []
  let shown: (() => readonly string[]) | undefined
  let current: Pick<PanelDriver<never>, "press" | "close"> | undefined
  let gone = false
  const screen = openThemedScreen({ ...parts, paint: () => paint() })

  function paint(): void {
    if (gone) return
    screen.paint({ above, live: shown?.() ?? [""], cursor: undefined })
    above = []
  }

  const keys = openKeys({
    clock,
    onKey(key) {
      current?.press(key)
      queueMicrotask(paint)
    },
  })
  const end = (): void => {
    gone = true
    current?.close()
  }
  terminal.open({
    onInput: screen.reading(keys.push),
    onResize: paint,
    onReady: paint,
    onResume() {
      screen.forget()
      paint()
    },
    onEnd: end,
  })
  screen.askBackground()

  return {
    theme: screen.theme,
    setTheme: screen.setTheme,
    say(rows) {
      above = [...above, ...rows]
      paint()
    },
    ask<T>(definition: PanelDefinition<T>) {
      if (gone) return Promise.resolve(undefined)
      const chosen = deferred<T | undefined>()
      const driver: PanelDriver<T> = drivePanels<T>(definition, {
        clock,
        size: terminal.size,
        redraw: () => queueMicrotask(paint),
        closed(result) {
          shown = undefined
          current = undefined
          chosen.resolve(result)
        },
      })
      current = driver
      shown = () => {
        const panel = driver.shown()
        return panel ? panelBottom(panel, terminal.size()).rows : [""]
      }
      queueMicrotask(paint)
      return chosen.promise
    },
    close() {
      if (!gone) screen.paint({ above, live: [""], cursor: { row: 0, column: 0 } })
      gone = true
      terminal.close()
    },
  }
}

/** Panels alone on the screen, before there is a conversation. */

import { panelBottom } from "#faces/tui/frame.ts"
import { openKeys } from "#faces/tui/keys.ts"
import { openBackgroundReader } from "#faces/tui/screen/background.ts"
import { openScreen } from "#faces/tui/screen/screen.ts"
import { type ThemeName, themed } from "#faces/tui/screen/theme.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { drivePanels, type PanelDriver } from "./drive.ts"
import type { PanelDefinition } from "./panel.ts"

export interface Asking {
  /** What was chosen; nothing when it was left, or the terminal is gone. */
  readonly ask: <T>(definition: PanelDefinition<T>) => Promise<T | undefined>
  /** Rows that stay in the scrollback. */
  readonly say: (rows: readonly string[]) => void
  readonly theme: () => ThemeName
  readonly wear: (theme: ThemeName) => void
  /** Gives the terminal back. */
  readonly close: () => void
}

export function openAsking(parts: {
  readonly terminal: Terminal
  readonly clock: Clock
  readonly theme: ThemeName | "detected"
}): Asking {
  const { terminal, clock } = parts
  let theme: ThemeName = parts.theme === "detected" ? "dark" : parts.theme
  let dress = themed(theme)
  let above: readonly string[] = []
  let shown: (() => readonly string[]) | undefined
  let current: Pick<PanelDriver<never>, "press" | "close"> | undefined
  let gone = false
  const screen = openScreen({ write: (text) => terminal.write(dress(text)), size: terminal.size })

  function paint(): void {
    if (gone) return
    screen.paint({ above, live: shown?.() ?? [""], cursor: undefined })
    above = []
  }

  function wear(next: ThemeName): void {
    if (next === theme) return
    theme = next
    dress = themed(next)
    screen.refresh()
    paint()
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
  const onInput =
    parts.theme === "detected"
      ? openBackgroundReader({ now: clock.now, onAnswer: wear, onInput: keys.take })
      : keys.take
  terminal.open({
    onInput,
    onResize: paint,
    onReady: paint,
    onResume() {
      screen.forget()
      paint()
    },
    onEnd: end,
  })
  if (parts.theme === "detected") terminal.askBackground()

  return {
    theme: () => theme,
    wear,
    say(rows) {
      above = [...above, ...rows]
      paint()
    },
    ask<T>(definition: PanelDefinition<T>) {
      if (gone) return Promise.resolve(undefined)
      const chosen = deferred<T | undefined>()
      const driver: PanelDriver<T> = drivePanels<T>(definition, {
        clock,
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

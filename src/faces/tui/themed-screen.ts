/** A screen in the colours of a theme, which may change while it is looked at. */

import type { Clock } from "#lib/clock.ts"
import { openBackgroundReader } from "./screen/background.ts"
import { openScreen, type Screen } from "./screen/screen.ts"
import { type ThemeName, themed } from "./screen/theme.ts"
import type { Terminal } from "./terminal.ts"

export interface ThemedScreen extends Screen {
  readonly theme: () => ThemeName
  /** Writes outside of frames, in the same colours. */
  readonly write: (text: string) => void
  /** Redraws at once. */
  readonly setTheme: (theme: ThemeName) => void
  /** Wraps the reader of keys; removes the terminal's answer about its background. */
  readonly reading: (onInput: (input: string) => void) => (input: string) => void
  /** Only if the colours depend on it, and once the terminal is open. */
  readonly askBackground: () => void
}

export function openThemedScreen(parts: {
  readonly terminal: Terminal
  readonly clock: Clock
  /** `detected`: dark or light like the terminal's background; dark if it does not answer. */
  readonly theme: ThemeName | "detected"
  readonly paint: () => void
}): ThemedScreen {
  const { terminal, clock, paint } = parts
  const isDetected = parts.theme === "detected"
  let theme: ThemeName = parts.theme === "detected" ? "dark" : parts.theme
  let colored = themed(theme, terminal.showsAnyColour)
  const screen = openScreen({
    write: (text) => terminal.write(colored(text)),
    size: terminal.size,
    now: clock.now,
    rewrap: terminal.rewrap,
  })

  function setTheme(next: ThemeName): void {
    if (next === theme) return
    theme = next
    colored = themed(next, terminal.showsAnyColour)
    screen.refresh()
    paint()
  }

  return {
    ...screen,
    theme: () => theme,
    write: (text) => terminal.write(colored(text)),
    setTheme,
    reading: (onInput) =>
      isDetected ? openBackgroundReader({ now: clock.now, onAnswer: setTheme, onInput }) : onInput,
    askBackground() {
      if (isDetected) terminal.askBackground()
    },
  }
}

/** A screen in the colours of a theme, which may change while it is looked at. */

import type { Clock } from "#lib/clock.ts"
import { openBackgroundReader } from "./screen/background.ts"
import { openScreen, type Screen } from "./screen/screen.ts"
import { type ThemeName, themed } from "./screen/theme.ts"
import type { Terminal } from "./terminal.ts"

export interface DressedScreen extends Screen {
  readonly theme: () => ThemeName
  /** Writes past the frames, in the same colours. */
  readonly write: (text: string) => void
  /** From the next frame on, which is asked for at once. */
  readonly wear: (theme: ThemeName) => void
  /** What reads the keys; where the colours depend on the terminal, its answer is taken out before. */
  readonly reading: (onInput: (input: string) => void) => (input: string) => void
  /** Asks the terminal, where the colours depend on it. Only once it is open. */
  readonly askBackground: () => void
}

export function openDressedScreen(parts: {
  readonly terminal: Terminal
  readonly clock: Clock
  /** `detected`: as light as the terminal says its background is, dark when it does not say. */
  readonly theme: ThemeName | "detected"
  readonly paint: () => void
}): DressedScreen {
  const { terminal, clock, paint } = parts
  const isDetected = parts.theme === "detected"
  let theme: ThemeName = parts.theme === "detected" ? "dark" : parts.theme
  let dress = themed(theme)
  const screen = openScreen({
    write: (text) => terminal.write(dress(text)),
    size: terminal.size,
    now: clock.now,
    rewrap: terminal.rewrap,
  })

  function wear(next: ThemeName): void {
    if (next === theme) return
    theme = next
    dress = themed(next)
    screen.refresh()
    paint()
  }

  return {
    ...screen,
    theme: () => theme,
    write: (text) => terminal.write(dress(text)),
    wear,
    reading: (onInput) => (isDetected ? openBackgroundReader({ now: clock.now, onAnswer: wear, onInput }) : onInput),
    askBackground() {
      if (isDetected) terminal.askBackground()
    },
  }
}

/** What a conversation on a screen needs in order to live. */

import type { InterruptCause } from "#agent/words/interruption.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"
import type { Notifications } from "./attention.ts"
import type { Keymap } from "./keymap.ts"
import type { OutsidePorts } from "./external-effects.ts"
import type { PanelPorts } from "./panels/ports.ts"
import type { ContextLevels } from "./state.ts"
import type { ThemeName } from "./screen/theme.ts"
import type { StatusLinePort } from "./status-line.ts"
import type { Terminal } from "./terminal.ts"

export interface TuiRun extends OutsidePorts {
  readonly session: Session
  readonly about: SessionAbout
  /** At the start; events tell the rest. */
  readonly state: SessionState
  readonly prompt: string | undefined
  readonly terminal: Terminal
  /** `detected`: dark or light like the terminal's background; dark if it does not answer. */
  readonly theme: ThemeName | "detected"
  readonly notifications: Notifications
  readonly clock: Clock
  readonly factsOf: (model: string) => ModelFacts
  readonly levelsOf: (model: string) => ContextLevels
  readonly branch: () => string | undefined
  readonly panels: PanelPorts
  readonly keymap?: Keymap
  readonly verbs?: readonly string[]
  readonly statusLine?: StatusLinePort | undefined
  /** The editor that a user can be connected to besides the terminal. */
  readonly beside?: BesideEditor | undefined
  /** Arguments can be appended. */
  readonly startedAs: string
  readonly editorMode?: "plain" | "vim"
  readonly sideColumn?: "shown" | "hidden"
  readonly mouse?: "on" | "off"
  readonly notes?: readonly string[]
  /** What the window is called, if not by the folder. */
  readonly title?: string
}

export interface BesideEditor {
  /** Undefined while none is connected. */
  readonly words: () => string | undefined
  /** Returns how to stop. */
  readonly listen: (listener: {
    readonly changed: () => void
    /** The user sent a mention from there to the prompt. */
    readonly mentioned: (text: string) => void
    readonly said: (text: string) => void
  }) => () => void
}

export interface Tui {
  /** A cause says that it is not the user who leaves. */
  readonly leave: (cause?: InterruptCause) => void
  /** Ends the conversation and restores the terminal after an exception. */
  readonly fail: (error: unknown) => void
  readonly ended: Promise<Crash | undefined>
}

export interface Crash {
  readonly error: unknown
}

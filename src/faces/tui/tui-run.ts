/** What a conversation on a screen needs in order to live. */

import type { ModelFacts } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"
import type { Notifications } from "./attention.ts"
import type { Keymap } from "./keymap.ts"
import type { OutsidePorts } from "./outside.ts"
import type { PanelPorts } from "./panels/ports.ts"
import type { ContextLevels } from "./state.ts"
import type { ThemeName } from "./screen/theme.ts"
import type { StatusLinePort } from "./status-line.ts"
import type { Terminal } from "./terminal.ts"

export interface TuiRun extends OutsidePorts {
  readonly session: Session
  readonly about: SessionAbout
  /** As it is when the conversation is opened; events tell the rest. */
  readonly state: SessionState
  /** The first prompt, if it was given with the command. */
  readonly prompt: string | undefined
  readonly terminal: Terminal
  /** `detected`: as light as the terminal says its background is, dark when it does not say. */
  readonly theme: ThemeName | "detected"
  readonly notifications: Notifications
  readonly clock: Clock
  readonly factsOf: (model: string) => ModelFacts
  readonly levelsOf: (model: string) => ContextLevels
  readonly branch: () => string | undefined
  readonly panels: PanelPorts
  /** The keys and what they do, when not all are the default ones. */
  readonly keymap?: Keymap
  /** The user's own words for the spinner. */
  readonly verbs?: readonly string[]
  /** A command that draws a row of its own. */
  readonly statusLine?: StatusLinePort | undefined
  /** How the program was started; arguments can be added. */
  readonly startedAs: string
  readonly editorMode?: "plain" | "vim"
  /** Sentences for the user, shown at the beginning. */
  readonly notes?: readonly string[]
}

export interface Tui {
  /** Ends the conversation from outside. */
  readonly leave: () => void
  /** Gives the terminal back and ends the conversation, because of a mistake of ours. */
  readonly fail: (error: unknown) => void
  /** Resolves when the session is closed and the terminal is given back. */
  readonly ended: Promise<Crash | undefined>
}

/** A mistake of ours that ended it. */
export interface Crash {
  readonly error: unknown
}

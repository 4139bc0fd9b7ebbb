/** What commands about the program are made of, and how they answer. */

import type { Models } from "#ground/models/router.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { EditorSide } from "#faces/cli/editor/editor-side.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface ProgramParts {
  readonly setting: StartupContext
  readonly models: Models
  readonly session: SessionPort & { readonly id: string }
  /** Absent where no conversation is in a terminal. */
  readonly editor?: EditorSide
}

export const said = (text: string): SlashAnswer => ({ text })
export const refused = (text: string): SlashAnswer => ({ text, isError: true })

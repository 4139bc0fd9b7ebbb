/** A session that was opened for a face, with what belongs to it. */

import type { Models } from "#ground/models/router.ts"
import type { EditorSide } from "#faces/cli/editor/editor-side.ts"
import type { Session } from "#session/port/session.ts"

export interface Started {
  readonly session: Session
  readonly models: Models
  readonly apiKeySource: string
  /** What was left out because the folder is not trusted. */
  readonly leftOut: readonly string[]
  readonly notes: readonly string[]
  readonly fileNotes: readonly string[]
  readonly initialPrompt: string | undefined
  /** Absent where there is no terminal, and none was asked for. */
  readonly editor: EditorSide | undefined
  /** Why it ended although nobody closed it here. */
  readonly ended?: () => string | undefined
  readonly close: Session["close"]
}

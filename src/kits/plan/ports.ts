/** What plan mode needs from the session. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { AddWords, Answer, QuestionAsk } from "#agent/words/question.ts"
import type { PlanFiles } from "#ground/transcript/plan-files.ts"
import type { Ids } from "#lib/ids.ts"

/** Whose plan mode it is: the session's, or a subagent's, whose plan lies beside. */
export type PlanAgent =
  { readonly kind: "main" } | { readonly kind: "sub"; readonly id: string; readonly slug: () => string }

/** What happens outside an approved plan: nothing, a notice, or a question. */
export type Enforcement = "off" | "warn" | "pause"

export interface Meaning {
  readonly covers: string
  readonly rules: readonly string[]
}

export interface PlanPorts {
  readonly agent: PlanAgent
  readonly mode: () => PermissionMode
  readonly record: (body: EntryBody) => void
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** The question and answer of a call that is restarted after a crash; returned once. */
  readonly decided?: (callId: string) => { readonly ask: QuestionAsk; readonly answer: Answer } | undefined
  readonly files: PlanFiles
  /** Why the plan cannot be shown yet, in words for the model. */
  readonly notYet?: () => string | undefined
  readonly folder: string
  /** The session's original working folder, which paths in a plan are relative to. */
  readonly root: string
  /** A path as the user is shown it; whole when absent. */
  readonly shown?: (path: string) => string
  readonly ids: Ids
  readonly modes: () => readonly PermissionMode[]
  /** Whether someone can approve a plan; otherwise the model cannot enter plan mode by itself. */
  readonly canAsk: boolean
  /** Whether rules may be granted: not if only the managed policy's count. */
  readonly canGrant: boolean
  /** How many agents a planning phase may start at once; undefined if there are none. */
  readonly agents: () => { readonly explore: number; readonly plan: number } | undefined
  readonly enforce: Enforcement
  /** How to plan, instead of our own steps. */
  readonly instructions?: string
  /** Finds the meaning of a wish that is not in the table; used only if the mode before planning was auto. */
  readonly classify?: (prompt: string, signal: AbortSignal) => Promise<Meaning | undefined>
  readonly addWords?: AddWords
  /** Clears the conversation after the turn and continues with only the plan. */
  readonly startFresh?: (plan: string) => void
}

/** What plan mode needs of the session around it. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { PlanFiles } from "#ground/transcript/plan-files.ts"
import type { Ids } from "#lib/ids.ts"

/** Whose plan mode it is: that of the session, or that of a subagent, whose plan lies beside. */
export type PlanAgent =
  { readonly kind: "main" } | { readonly kind: "sub"; readonly id: string; readonly slug: () => string }

/** What happens when an approved plan is left: nothing, a notice, or a question. */
export type Enforcement = "off" | "warn" | "pause"

/** What a wish for commands would grant. */
export interface Meaning {
  /** What it stands for, for the user. */
  readonly covers: string
  /** Rules that allow exactly that. */
  readonly rules: readonly string[]
}

export interface PlanPorts {
  readonly agent: PlanAgent
  readonly mode: () => PermissionMode
  readonly record: (body: EntryBody) => void
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** What a call that is begun again after a crash had asked, and the answer that it got; told once. */
  readonly decided?: (callId: string) => { readonly ask: QuestionAsk; readonly answer: Answer } | undefined
  readonly files: PlanFiles
  /** Where plans are kept. */
  readonly folder: string
  /** The working folder the session was opened in: what a plan's paths are relative to. */
  readonly root: string
  readonly ids: Ids
  /** Modes that work can go on in here. */
  readonly modes: () => readonly PermissionMode[]
  /** Whether someone can approve a plan; without anyone the model is not offered to enter plan mode by itself. */
  readonly canAsk: boolean
  /** Whether rules may be granted: not where only those of the managed policy count. */
  readonly canGrant: boolean
  /** How many agents a planning phase may start at once; undefined where there are none to start. */
  readonly agents: () => { readonly explore: number; readonly plan: number } | undefined
  readonly enforce: Enforcement
  /** Finds the meaning of a wish that no table knows; asked only where the mode before planning was auto. */
  readonly classify?: (prompt: string, signal: AbortSignal) => Promise<Meaning | undefined>
  /** Forgets the conversation when the turn is over and continues with nothing but the plan. */
  readonly startFresh?: (plan: string) => void
}

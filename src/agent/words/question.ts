/** The only way to reach a person. A question is an entry, so it can wait for days and be answered from anywhere. */

import type { JsonObject } from "#lib/json.ts"
import type { AskingAgent } from "./child.ts"
import type { Footprint } from "./footprint.ts"
import type { Display } from "./display.ts"
import type { Decision, Grant, GrantDestination, PermissionMode } from "./permission.ts"

export type QuestionAsk =
  | {
      readonly kind: "permission"
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly input: JsonObject
      readonly footprint: Footprint
      /** What it would do, to be drawn: the difference an edit would make. */
      readonly display?: Display
      readonly decision: Decision
      /** The parts of a compound command, as written, in order. */
      readonly parts?: readonly QuestionPart[]
      /** What is at risk, one sentence each. */
      readonly risks?: readonly string[]
      /** The narrowest rule that would have spared the question; the person may change it before it is kept. */
      readonly suggestedRule?: string
      /** Where a rule could be kept; none when no rule may be added. */
      readonly destinations?: readonly GrantDestination[]
    }
  | {
      readonly kind: "choice"
      readonly callId: string
      readonly questions: readonly {
        readonly question: string
        readonly header: string
        readonly options: readonly { readonly label: string; readonly description: string }[]
        readonly multiSelect: boolean
      }[]
    }
  | {
      readonly kind: "plan"
      readonly callId: string
      /** The plan, as Markdown. */
      readonly plan: string
      readonly path: string
      /** Modes to go on in, the one from before planning first. */
      readonly modes: readonly PermissionMode[]
      /** Kinds of commands the plan wants to run without asking; `covers` says what each would grant, if it grants anything. */
      readonly wishes: readonly { readonly prompt: string; readonly covers?: string }[]
    }

/** One part of what is asked about: whether it waits for consent, and what covers it otherwise. */
export interface QuestionPart {
  readonly text: string
  readonly needsConsent: boolean
  /** The rule, the mode or the reason that covers it, or why it needs consent. */
  readonly why: string
}

/** `agent`: who asks, when it is not the main agent. */
export type Question = { readonly id: string; readonly ask: QuestionAsk; readonly agent?: AskingAgent }

export type Answer =
  /** `remember` keeps a rule, so that the like of it is not asked again. */
  | { readonly kind: "allow"; readonly updatedInput?: JsonObject; readonly remember?: Grant }
  /** `words` is what the person said to do instead; `interrupt` ends the turn after the group; `plan` is the text as they changed it. */
  | { readonly kind: "deny"; readonly words?: string; readonly interrupt: boolean; readonly plan?: string }
  | { readonly kind: "choices"; readonly answers: { readonly [question: string]: string } }
  /** `plan` is the text as the person changed it, `wishes` those that are granted, `fresh` to go on with nothing but the plan. */
  | {
      readonly kind: "approve"
      readonly mode: PermissionMode
      readonly plan?: string
      readonly wishes: readonly string[]
      readonly fresh?: boolean
    }
  /** Nobody can be asked, or the question was withdrawn. */
  | { readonly kind: "unanswered"; readonly why: string }

/** The only way to reach a person. A question is an entry, so it can wait for days and be answered from anywhere. */

import type { JsonObject } from "#lib/json.ts"
import type { Footprint } from "./footprint.ts"
import type { Decision } from "./permission.ts"

export type QuestionAsk =
  | {
      readonly kind: "permission"
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly input: JsonObject
      readonly footprint: Footprint
      readonly decision: Decision
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

export type Question = { readonly id: string; readonly ask: QuestionAsk }

export type Answer =
  | { readonly kind: "allow"; readonly updatedInput?: JsonObject }
  /** `words` is what the person said to do instead; `interrupt` ends the turn after the group. */
  | { readonly kind: "deny"; readonly words?: string; readonly interrupt: boolean }
  | { readonly kind: "choices"; readonly answers: { readonly [question: string]: string } }
  /** Nobody can be asked, or the question was withdrawn. */
  | { readonly kind: "unanswered"; readonly why: string }

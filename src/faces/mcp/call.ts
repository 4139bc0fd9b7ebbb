/** A call of a client under way: it may ask before it is done. */

import type { Answer } from "#agent/words/question.ts"
import type { JsonObject } from "#lib/json.ts"
import type { OpenQuestion } from "./session-run.ts"

export type CallStep =
  | { readonly kind: "asks"; readonly asked: OpenQuestion }
  /** `result`: of `tools/call`. */
  | { readonly kind: "done"; readonly result: JsonObject }

export interface CallUnderWay {
  readonly next: () => Promise<CallStep>
  readonly answer: (asked: OpenQuestion, answer: Answer) => Promise<void>
  readonly cancel: () => void
}

export interface StartedBy {
  /** Of the client; empty if it gave none. */
  readonly client: string
  readonly onProgress: (message: string) => void
}

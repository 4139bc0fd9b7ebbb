/** What the panel of sessions asks of the world. */

import type { Answer, Question } from "#agent/words/question.ts"
import type { ListedState } from "#faces/view/listed-state.ts"
import type { Result } from "#lib/result.ts"
import type { Subscribe } from "./panel.ts"

export interface RunningRow {
  readonly id: string
  readonly name: string
  readonly state: ListedState
  /** Folder and branch. */
  readonly place: string
  readonly costUsd: number
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  readonly last: string
  readonly questions: readonly Question[]
  /** It is the session of this terminal. */
  readonly isCurrent?: true
}

/** Failures are sentences. */
export interface RunningPort {
  readonly list: () => Promise<readonly RunningRow[]>
  /** As plain text. */
  readonly log: (id: string) => Promise<Result<string, string>>
  readonly answer: (id: string, question: Question, answer: Answer) => Promise<Result<void, string>>
  readonly stop: (id: string) => Promise<Result<void, string>>
  readonly resume: (id: string) => Promise<Result<void, string>>
  readonly remove: (id: string) => Promise<Result<void, string>>
  readonly watch: Subscribe
}

/** What a user can choose from outside a session: the available models, and earlier conversations. */

import type { Result } from "#lib/result.ts"

export interface Choices {
  readonly models: () => Promise<readonly ModelRow[]>
  /** Matches of the given words, newest first; all of them for no words. */
  readonly sessions: (words: string) => Promise<Result<readonly SessionRow[], string>>
}

export interface ModelRow {
  readonly id: string
  readonly aliases: readonly string[]
  /** Who offers it, for people. */
  readonly who?: string
  /** Whether it only plays a model. */
  readonly isPlay?: true
  /** Why it cannot be used yet, and the provider whose key is missing. */
  readonly needs?: {
    readonly words: string
    readonly key?: { readonly name: string; readonly who: string; readonly signsIn?: true }
  }
  readonly window: number
  /** Dollars per million tokens, where known. */
  readonly price?: { readonly input: number; readonly output: number }
}

export interface SessionRow {
  readonly id: string
  readonly title: string | undefined
  readonly firstPrompt: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  readonly branch: string | undefined
  readonly messages: number
  readonly costUsd: number
}

/** What a person may choose from that lies outside a session: the models there are, and conversations of before. */

import type { Result } from "#lib/result.ts"

export interface Choices {
  readonly models: () => Promise<readonly ModelRow[]>
  /** Those that match some words, newest first; all of them for no words. */
  readonly sessions: (words: string) => Promise<Result<readonly SessionRow[], string>>
}

export interface ModelRow {
  readonly id: string
  /** Short names that mean it. */
  readonly aliases: readonly string[]
  /** Tokens that fit into its context. */
  readonly window: number
  /** Dollars for a million tokens in and out, where known. */
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

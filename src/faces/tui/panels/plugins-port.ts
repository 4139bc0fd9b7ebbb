/** What the panel of plugins asks of the program. */

import type { Result } from "#lib/result.ts"

export interface PluginRow {
  readonly id: string
  readonly facts: string
  /** Those that are installed come first. */
  readonly group: string
}

/** What somebody should see before they agree. */
export interface PluginPage {
  readonly facts: readonly (readonly [name: string, value: string | undefined])[]
  readonly description?: string
  /** Kind, and what exactly. */
  readonly runs: readonly (readonly [kind: string, what: string])[]
  readonly adds: readonly (readonly [kind: string, names: string])[]
  readonly problems: readonly string[]
  readonly state: "enabled" | "disabled" | "not approved" | "not installed"
}

export type UpdateAnswer =
  | { readonly kind: "done"; readonly message: string }
  /** What it runs would change, line by line. */
  | { readonly kind: "asks"; readonly difference: readonly string[] }

export interface PluginsPort {
  readonly list: (signal: AbortSignal) => Promise<Result<readonly PluginRow[], string>>
  /** Fetches one that is not installed; nothing of it runs. */
  readonly page: (id: string, signal: AbortSignal) => Promise<Result<PluginPage, string>>
  /** Exactly the files that were shown last. */
  readonly install: (id: string) => Promise<Result<string, string>>
  readonly enable: (id: string) => Promise<Result<string, string>>
  readonly disable: (id: string) => Promise<Result<string, string>>
  readonly remove: (id: string) => Promise<Result<string, string>>
  /** `agreed`: the difference was shown. */
  readonly update: (id: string, consent: "agreed" | "ask") => Promise<Result<UpdateAnswer, string>>
  readonly addMarketplace: (source: string) => Promise<Result<string, string>>
}

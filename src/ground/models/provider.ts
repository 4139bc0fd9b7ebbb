/** What the router knows a provider by, and what it gives a provider to work with. */

import type { ModelFacts } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import type { AdmittedIds } from "./admitted-ids.ts"
import type { Attempt } from "./attempt.ts"
import type { WatchLimits } from "./watch.ts"

export interface Provider {
  /** Its name in `provider/model`, and in the proofs it gives. */
  readonly name: string
  /** Whether requests for this model are its own. A name that begins with another provider's is not. */
  readonly owns: (model: string) => boolean
  readonly facts: (model: string) => ModelFacts
  /** The list price of a model; nothing when it is not known. */
  readonly price?: (model: string) => Price | undefined
  /** Whether it can be asked by now; always when absent. */
  readonly isConfigured?: () => boolean
  /** Models worth offering in a list; it may own many more. */
  readonly models: readonly string[]
  /** Nothing is sent yet, but what it takes to send begins to load. */
  readonly open: (parts: PortParts) => ProviderPort
}

/** What all providers share. */
export interface PortParts {
  readonly limits: WatchLimits
  readonly clock: Clock
  readonly ids: Ids
  /** One conversation may be answered by several providers, so ids are admitted for all of them together. */
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
}

/** The way to a provider, before retries. */
export interface ProviderPort {
  readonly attempt: Attempt
  /** Reads the key again; absent when there is no other key to be had. */
  readonly refreshKey?: (signal: AbortSignal) => Promise<Result<unknown, string>>
  /** Ends every request under way. */
  readonly close: () => void
}

/** Names that always mean a provider, whether or not it is there: `openai/gpt-5` is never a model of a gateway. */
const builtInNames: ReadonlySet<string> = new Set([
  "anthropic",
  "openai",
  "openai-chat",
  "gemini",
  "openrouter",
  "ollama",
  "lmstudio",
  "llamacpp",
  "bedrock",
  "vertex",
  "foundry",
  "sim",
])

/** The provider that a model's name asks for; nothing when it names none, as `claude-opus-5` or `qwen/qwen3`. */
export function namedProvider(model: string): string | undefined {
  const name = /^([^/]+)(?:\/|$)/.exec(model.trim())?.[1]?.toLowerCase()
  if (name === undefined || !builtInNames.has(name)) return undefined
  return model.includes("/") || name === "sim" ? name : undefined
}

/** The id that the provider knows the model by. */
export const withoutProvider = (provider: string, model: string): string =>
  model.toLowerCase().startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model

/** How the router sees a provider, and what it gives a provider to work with. */

import type { ModelFacts } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Network } from "#lib/network.ts"
import type { Result } from "#lib/result.ts"
import type { AdmittedIds } from "./admitted-ids.ts"
import type { Attempt } from "./attempt.ts"
import type { WatchLimits } from "./watch.ts"

export interface Provider {
  /** Its name in `provider/model`, and in its proofs. */
  readonly name: string
  /** Whether it answers requests for this model. Never for a name that starts with another provider's. */
  readonly owns: (model: string) => boolean
  readonly facts: (model: string) => ModelFacts
  /** The list price; undefined when it is not known. */
  readonly price?: (model: string) => Price | undefined
  /** The full name behind one that has a short name in it, such as `openai/small`; the same when absent. */
  readonly resolve?: (model: string) => string
  /** Whether it can be used by now; always when absent. */
  readonly isConfigured?: () => boolean
  /** `no`: not named among those that are configured: nobody asked for it yet, or it is another way to one that is. */
  readonly listed?: "no"
  /** Where its requests go; absent if nothing leaves the process. */
  readonly address?: string
  /** Models worth listing; it may own many more. */
  readonly models: readonly string[]
  /** Sends nothing yet, but may make the connection. */
  readonly open: (parts: PortParts) => ProviderPort
}

/** Shared by all providers. */
export interface PortParts {
  readonly limits: WatchLimits
  readonly clock: Clock
  readonly ids: Ids
  readonly network: Network
  /** One conversation may be answered by several providers, so ids are admitted for all of them together. */
  readonly toolIds: AdmittedIds
  readonly messageIds: AdmittedIds
  /** How pieces of a block that arrive together are told: `joined` costs less where only the whole is shown. */
  readonly pieces: "as sent" | "joined"
}

/** Access to a provider, before retries. */
export interface ProviderPort {
  readonly attempt: Attempt
  /** Reads the key again; absent when there is no other key to get. */
  readonly refreshKey?: (signal: AbortSignal) => Promise<Result<unknown, string>>
  /** The credentials sent so far: masked in every failure, because endpoints repeat them. */
  readonly secrets: () => readonly string[]
  readonly close: () => void
}

/** Names that always mean a provider, configured or not: `openai/gpt-5` is never a model of a gateway. */
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

/** Undefined when the name has none, as in `claude-opus-5` or `qwen/qwen3`. */
export function namedProvider(model: string): string | undefined {
  const name = /^([^/]+)(?:\/|$)/.exec(model.trim())?.[1]?.toLowerCase()
  if (name === undefined || !builtInNames.has(name)) return undefined
  return model.includes("/") || name === "sim" ? name : undefined
}

export const withoutProvider = (provider: string, model: string): string =>
  model.toLowerCase().startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model

/** Which provider answers, and the port to it. */

import type { Model } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { openAnthropic, type AnthropicProvider } from "./anthropic/stream.ts"
import { modelFacts } from "./catalog.ts"
import type { KeySource } from "./credential.ts"
import { isSimulated } from "./model-id.ts"
import { usualPolicy, withRetry, type RetryPolicy } from "./retry.ts"
import { usualLimits, type WatchLimits } from "./watch.ts"

/** A provider and what it takes to reach it. */
export type Provider = {
  readonly kind: "anthropic"
  /** `none` where whoever answers has no tools of its own, as the built-in simulator. */
  readonly serverTools?: "none"
} & AnthropicProvider

/** A model port that holds connections. */
export interface OpenModel extends Model {
  /** Ends every request under way. */
  readonly close: () => void
}

/** What opening a port needs; what is left out of policy and limits is as usual. */
export interface OpenModelParts {
  readonly provider: Provider
  readonly policy?: Partial<RetryPolicy>
  readonly limits?: Partial<WatchLimits>
  readonly clock: Clock
  readonly ids: Ids
}

/** Opens the port. Nothing is sent yet, but what it takes to send begins to load. */
export function openModel({ provider, policy, limits, clock, ids }: OpenModelParts): OpenModel {
  const port = openAnthropic({ provider, limits: { ...usualLimits, ...limits }, clock, ids })
  const { stream } = withRetry({ ...port, policy: { ...usualPolicy, ...policy }, clock, ids })
  return {
    stream,
    close: port.close,
    ...(provider.serverTools !== "none" && { searchesWeb: (model) => modelFacts(model).searchesWeb }),
  }
}

/** What the settings and the environment say about providers. */
export interface ProviderValues extends KeySource {
  /** The model that was asked for, which may name the simulator. */
  readonly model?: string
  readonly baseUrl?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Who is to answer. The simulator is for the caller to start; it is then reached like the provider it plays. */
export type Choice = Provider | { readonly kind: "simulator" }

const firstParty = "https://api.anthropic.com"

/** A key or an address means the provider; nothing at all, or the simulator's name, means the simulator. */
export function chooseProvider({ model, baseUrl, ...values }: ProviderValues): Choice {
  if (model !== undefined && isSimulated(model)) return { kind: "simulator" }
  if (!baseUrl && !values.apiKey && !values.authToken && !values.readKey) return { kind: "simulator" }
  return { kind: "anthropic", baseUrl: baseUrl || firstParty, ...values }
}

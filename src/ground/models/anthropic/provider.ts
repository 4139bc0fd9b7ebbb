/** Anthropic, or a gateway that speaks like it. */

import { namedProvider, type Provider, withoutProvider } from "#ground/models/provider.ts"
import { claudePrice, listedModels } from "./prices.ts"
import { anthropicName, claudeFacts } from "./releases.ts"
import type { Dialect } from "./request.ts"
import { type MessagesAddress, openMessages } from "./stream.ts"

export interface AnthropicChoice extends Omit<MessagesAddress, "baseUrl"> {
  /** The address of a gateway, or of a local server; the provider's own when absent. */
  readonly baseUrl?: string
  readonly deferral?: Dialect["deferral"]
}

const ownAddress = "https://api.anthropic.com"

export function anthropicProvider({ baseUrl = ownAddress, deferral, ...key }: AnthropicChoice): Provider {
  const dialect: Dialect = {
    name: anthropicName,
    idOf: (model) => withoutProvider(anthropicName, model),
    factsOf: claudeFacts,
    ...(deferral && { deferral }),
  }
  return {
    name: anthropicName,
    owns: (model) => owns(model, baseUrl),
    facts: claudeFacts,
    price: claudePrice,
    models: listedModels,
    open: (parts) => openMessages({ baseUrl, ...key }, dialect, parts),
  }
}

/** A gateway gives its models names of its own, so it may have any that no other provider is named in. */
function owns(model: string, baseUrl: string): boolean {
  const named = namedProvider(model)
  if (named !== undefined) return named === anthropicName
  return baseUrl !== ownAddress || /\bclaude\b/i.test(model)
}

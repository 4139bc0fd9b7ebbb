/** Anthropic, or a compatible gateway. */

import type { Voice } from "#ground/models/failure.ts"
import type { Address } from "#ground/models/port.ts"
import { namedProvider, type Provider, withoutProvider } from "#ground/models/provider.ts"
import { onceEach } from "#lib/once-each.ts"
import { claudePrice, listedModels } from "./prices.ts"
import { anthropicName, claudeFacts } from "./releases.ts"
import type { Dialect } from "./request.ts"
import { openMessages } from "./messages.ts"

export interface AnthropicChoice extends Omit<Address, "baseUrl" | "voice"> {
  readonly baseUrl?: string
  readonly deferral?: Dialect["deferral"]
  readonly caching?: Dialect["caching"]
  readonly extraBody?: Dialect["extraBody"]
  readonly betas?: Dialect["betas"]
  /** Which key is sent, and how to change it, for messages. */
  readonly keyWords?: Voice["key"]
  /** Whether there is a key or an address by now; yes when absent. */
  readonly isConfigured?: () => boolean
}

export const anthropicAddress = "https://api.anthropic.com"

export function anthropicProvider(choice: AnthropicChoice): Provider {
  const {
    baseUrl = anthropicAddress,
    deferral,
    caching,
    extraBody,
    betas,
    keyWords = someKey,
    isConfigured,
    ...key
  } = choice
  const voice: Voice = { who: baseUrl === anthropicAddress ? "Anthropic" : hostOf(baseUrl), key: keyWords }
  // Needed several times for every request.
  const factsOf = onceEach(claudeFacts)
  const dialect: Dialect = {
    name: anthropicName,
    idOf: (model) => withoutProvider(anthropicName, model),
    factsOf,
    ...(deferral && { deferral }),
    ...(caching && { caching }),
    ...(extraBody && { extraBody }),
    ...(betas && { betas }),
  }
  return {
    name: anthropicName,
    owns: (model) => owns(model, baseUrl),
    facts: factsOf,
    price: claudePrice,
    models: listedModels,
    open: (parts) => openMessages({ baseUrl, voice, ...key }, dialect, parts),
    ...(isConfigured && { isConfigured }),
  }
}

const someKey: Voice["key"] = () => ({ which: "The API key", advice: "Set another one." })

export const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address)

/** A gateway chooses its own model names, so it may have any that does not name another provider. */
function owns(model: string, baseUrl: string): boolean {
  const named = namedProvider(model)
  if (named !== undefined) return named === anthropicName
  return baseUrl !== anthropicAddress || /\bclaude\b/i.test(model)
}

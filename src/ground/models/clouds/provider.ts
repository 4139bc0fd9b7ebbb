/** A cloud that offers Anthropic's models, as a provider. What it takes to reach it is loaded when it is used. */

import { claudePrice } from "#ground/models/anthropic/prices.ts"
import { type ClaudeFacts, claudeFacts } from "#ground/models/anthropic/releases.ts"
import type { Dialect } from "#ground/models/anthropic/request.ts"
import { lazyPort } from "#ground/models/lazy-port.ts"
import { isRelease } from "#ground/models/model-id.ts"
import {
  namedProvider,
  type PortParts,
  type Provider,
  type ProviderPort,
  withoutProvider,
} from "#ground/models/provider.ts"
import type { Price, Rates } from "#agent/words/price.ts"
import { withWindow } from "./model-ids.ts"
import { onceEach } from "#lib/once-each.ts"
import type { Result } from "#lib/result.ts"

export type CloudName = "bedrock" | "vertex" | "foundry"

export interface CloudChoice extends Pick<Dialect, "betas" | "caching" | "extraBody" | "deferral"> {
  readonly name: CloudName
  /** What `opus`, `sonnet` and `haiku` mean after its name. */
  readonly shortNames: { readonly [alias: string]: string }
  /** Whether names without a provider mean its models. */
  readonly selected: boolean
  /** Whether it has others when the credentials in use are refused. */
  readonly hasOtherKey: boolean
  /** How much more than Anthropic's price a model costs. */
  readonly priceFactor?: (id: string) => number
  /** Why no request can be sent, in sentences. */
  readonly problem: () => Promise<string | undefined>
  /** The dialect's ids are plain names, or those of the cloud. */
  readonly open: (dialect: Dialect, parts: PortParts) => Promise<Result<ProviderPort, string>>
}

export interface CloudProvider extends Provider {
  readonly selected: boolean
  readonly problem: CloudChoice["problem"]
}

export function cloudProvider(choice: CloudChoice): CloudProvider {
  const { name, shortNames, selected, hasOtherKey, priceFactor, problem, open, betas, caching, extraBody } = choice
  const idOf = (model: string): string =>
    withWindow(withoutProvider(name, model), (id) => shortNames[id.toLowerCase()] ?? id)
  // Messages are kept as bytes for each record of facts, so one model has one.
  const factsOf = onceEach((model: string): ClaudeFacts => fitted(name, model, claudeFacts(idOf(model))))
  const deferral = choice.deferral ?? (features[name].defersTools ? undefined : "never")
  const dialect: Dialect = {
    name,
    idOf,
    factsOf,
    ...(deferral && { deferral }),
    ...(betas && { betas }),
    ...(caching && { caching }),
    ...(extraBody && { extraBody }),
  }
  return {
    name,
    selected,
    problem,
    owns(model) {
      const named = namedProvider(model)
      return named === name || (selected && named === undefined)
    },
    facts: factsOf,
    price(model) {
      const price = claudePrice(idOf(model))
      return price && times(price, priceFactor?.(idOf(model)) ?? 1)
    },
    // Plain names are on Anthropic's list.
    models: [],
    ...(!selected && { listed: "no" }),
    open: (parts) => lazyPort(() => open(dialect, parts), hasOtherKey),
  }
}

/** What each can do for its models besides answering, as published on 2026-11-17. Foundry is run by Anthropic. */
const features: { readonly [name in CloudName]: { readonly searchesWeb: boolean; readonly defersTools: boolean } } = {
  bedrock: { searchesWeb: false, defersTools: false },
  vertex: { searchesWeb: true, defersTools: false },
  foundry: { searchesWeb: true, defersTools: true },
}

function fitted(name: CloudName, model: string, facts: ClaudeFacts): ClaudeFacts {
  const { searchesWeb, defersTools } = features[name]
  return {
    ...facts,
    id: model,
    provider: name,
    searchesWeb: searchesWeb && facts.searchesWeb === true,
    defersTools: defersTools && facts.defersTools === true,
    // Its effort is a beta feature there, with a name of its own.
    ...(name !== "foundry" && isRelease(facts.id, "claude-opus-4-5") && { thinks: { byDefault: false, efforts: [] } }),
  }
}

function times(price: Price, factor: number): Price {
  if (factor === 1) return price
  const rates = ({ input, output, cacheWrite, cacheRead }: Rates): Rates => ({
    input: input * factor,
    output: output * factor,
    cacheWrite: cacheWrite * factor,
    cacheRead: cacheRead * factor,
  })
  const { above } = price
  return { ...price, ...rates(price), ...(above && { above: { ...rates(above), tokens: above.tokens } }) }
}

/** One port for all models: the name of a request's model decides which provider is asked. */

import type { Model, ModelEvent, ModelFacts, ModelFailure } from "#agent/words/model.ts"
import type { Price } from "#agent/words/price.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { ConnectionFact, Network } from "#lib/network.ts"
import { openAdmittedIds } from "./admitted-ids.ts"
import { namedProvider, type PortParts, type Provider } from "./provider.ts"
import { usualPolicy, withRetry, type RetryPolicy } from "./retry.ts"
import { usualLimits, type WatchLimits } from "./watch.ts"

export interface Models extends Model {
  readonly factsOf: (model: string) => ModelFacts
  readonly priceOf: (model: string) => Price | undefined
  /** Why no provider can answer for this model; undefined when one can. */
  readonly refusal: (model: string) => ModelFailure | undefined
  /** The connection that requests to this model use; undefined if there is none. */
  readonly connectionOf: (model: string) => ConnectionFact | undefined
  /** Models worth listing, of providers that can be used. Not before somebody wants a list: what is known of them may have to be read. */
  readonly offered: () => readonly string[]
  readonly close: () => void
}

/** Policy and limits have defaults. */
export interface ModelsParts {
  readonly policy?: Partial<RetryPolicy>
  readonly limits?: Partial<WatchLimits>
  /** As sent when absent. */
  readonly pieces?: PortParts["pieces"]
  /** The model that will be asked first: what it needs starts to load. */
  readonly first?: string
  readonly clock: Clock
  readonly ids: Ids
  readonly network: Network
}

/** A model belongs to the first provider that owns it. Each provider is opened on first use. The list may grow. */
export function openModels(providers: readonly Provider[], parts: ModelsParts): Models {
  const { clock, ids, network } = parts
  const shared = {
    limits: { ...usualLimits, ...parts.limits },
    clock,
    ids,
    network,
    toolIds: openAdmittedIds(ids, "toolu"),
    messageIds: openAdmittedIds(ids, "msg"),
    pieces: parts.pieces ?? "as sent",
  }
  const policy = { ...usualPolicy, ...parts.policy }
  const opened = new Map<Provider, { readonly model: Model; readonly close: () => void }>()

  const isReady = ({ isConfigured }: Provider): boolean => isConfigured?.() ?? true
  const configured = (): readonly Provider[] => providers.filter((each) => each.listed !== "no" && isReady(each))
  /** Facts are needed for every frame, so a model's provider is looked for once, as long as the list is the same. */
  let owners = new Map<string, Provider>()
  let listed = providers.length
  // Without asking the provider for a key.
  function ownerOf(model: string): Provider | undefined {
    if (listed !== providers.length) {
      owners = new Map()
      listed = providers.length
    }
    const owner = owners.get(model) ?? providers.find((provider) => provider.owns(model))
    if (owner) owners.set(model, owner)
    return owner
  }
  function askedFor(model: string): Provider | undefined {
    const owner = ownerOf(model)
    return owner && isReady(owner) ? owner : providers.find((provider) => provider.owns(model) && isReady(provider))
  }
  const portTo = (provider: Provider): Model => {
    const known = opened.get(provider)
    if (known) return known.model
    const port = provider.open(shared)
    const model = withRetry({ ...port, policy, clock, ids })
    opened.set(provider, { model, close: port.close })
    return model
  }
  const factsOf = (model: string): ModelFacts => ownerOf(model)?.facts(model) ?? unknownFacts(model)

  const first = parts.first === undefined ? undefined : ownerOf(parts.first)
  if (first) portTo(first)
  return {
    stream(request, signal) {
      const provider = askedFor(request.model)
      return provider ? portTo(provider).stream(request, signal) : refused(nobodyHas(request.model, configured()))
    },
    searchesWeb: (model) => factsOf(model).searchesWeb === true,
    factsOf,
    priceOf: (model) => ownerOf(model)?.price?.(model),
    refusal: (model) => (askedFor(model) ? undefined : nobodyHas(model, configured())),
    connectionOf(model) {
      const { name, address } = ownerOf(model) ?? {}
      if (name === undefined || address === undefined) return undefined
      return network.connectionTo({ why: "model", name, chosenBy: "user" }, address)
    },
    offered: () => configured().flatMap(({ models }) => models),
    close() {
      for (const { close } of opened.values()) close()
    },
  }
}

async function* refused(failure: ModelFailure): AsyncGenerator<ModelEvent> {
  yield { type: "error", failure }
}

function nobodyHas(model: string, providers: readonly Provider[]): ModelFailure {
  const names = providers.map(({ name }) => name)
  const named = namedProvider(model)
  const what =
    named === undefined
      ? `No provider here has the model ${model}.`
      : `The provider ${named} of ${model} is not configured.`
  const there = names.length === 0 ? "No provider is configured." : `Configured: ${names.join(", ")}.`
  const how =
    named === undefined && names[0] !== undefined ? ` To ask one for it all the same, write ${names[0]}/${model}.` : ""
  return { kind: "no_provider", message: `${what} ${there}${how}` }
}

/** Nothing will be sent; these values are only shown, and cautious. */
const unknownFacts = (id: string): ModelFacts => ({ id, provider: "none", window: 200_000, maxOutput: 32_000 })

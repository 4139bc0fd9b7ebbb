/** How one server differs from another that speaks the same wire format. What is not said here is the same for all. */

import type { ModelFacts } from "#agent/words/model.ts"

export interface ServerDialect {
  /** The provider's name, and the one in its proofs. */
  readonly name: string
  /** The id on the wire. */
  readonly idOf: (model: string) => string
  readonly factsOf: (model: string) => Capabilities
  /** The field that limits an answer: newer models of OpenAI refuse the old one. */
  readonly limit?: "max_tokens" | "max_completion_tokens"
  /** How effort is said: as a field of its own, or as part of an object. Not at all when absent. */
  readonly effort?: "reasoning_effort" | "reasoning"
  /** `marks`: the prompt is cached where it is marked. Otherwise the server caches by itself, or not. */
  readonly caching?: "marks"
  /** Ids of calls as Mistral takes them: nine letters and digits. */
  readonly callIds?: "short"
  /** Fields that the user adds to every request. */
  readonly extraBody?: { readonly [name: string]: unknown }
}

/** What a model can do. A request is fitted to it: see fitted.ts. */
export type Capabilities = ModelFacts

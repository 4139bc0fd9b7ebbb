/** What is known of a model by its name alone, where nobody is going to be asked: for replays, and for logs of before. */

import type { ModelFacts } from "#agent/words/model.ts"
import { claudeFacts } from "./anthropic/releases.ts"
import { isSimulated } from "./model-id.ts"
import { simulatedFacts } from "./simulated.ts"

export const factsByName = (model: string): ModelFacts =>
  isSimulated(model) ? simulatedFacts(model) : claudeFacts(model)

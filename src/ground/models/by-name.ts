/** What is known about a model by its name alone, where no provider will be asked: for replays and older logs. */

import type { ModelFacts } from "#agent/words/model.ts"
import { claudeFacts } from "./anthropic/releases.ts"
import { isSimulated } from "./model-id.ts"
import { simulatedFacts } from "./simulated.ts"

export const factsByName = (model: string): ModelFacts =>
  isSimulated(model) ? simulatedFacts(model) : claudeFacts(model)

/** What commands of a session let one choose from. It is loaded when somebody asks. */

import type { Models } from "#ground/models/router.ts"
import type { Choices } from "#session/opening/choices.ts"
import type { StartupContext } from "./startup-context.ts"

export function choicesOf(setting: StartupContext, models: Models): Choices {
  const { signal } = new AbortController()
  return {
    models: async () => (await import("./model-rows.ts")).usableModels(setting, models),
    sessions: async (words) => (await import("./session-rows.ts")).sessionsPort(setting).list(words, signal),
  }
}
